"""The call of one model, from a prepared request to an answer or a failure.

`model_client` retries, `model_servers` makes one attempt: by `openai_transport` in OpenAI's chat protocol, or
by `litellm_gateway`, the only module that imports litellm.
"""
