"""Configurations: their defaults, and how each mistake is named."""

import pytest

from engine.collect.configuration.config_secrets import looks_secret, names_secret, secret_places
from engine.collect.configuration.read_config import load_config, parse_config
from engine.errors import UsageError

GOOD = """
study = "s"
generators = ["m1", "m2"]
judges = ["m1"]
paradigms = ["single_rubric"]
[models.m1]
family = "alpha"
model = "openai/m1"
[models.m2]
model = "simulated/m2"
"""
KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"


def _sent(table: str, name: str, value: str) -> str:
    return f'params = {{ {table} = {{ {name} = "{value}" }} }}'


def _with(line: str, table: str = "") -> str:
    return f"{line}\n{GOOD}" if not table else f"{GOOD}\n{table}\n{line}\n"


def test_omitted_settings_take_the_documented_defaults():
    config = parse_config(GOOD)

    assert (config.variants, config.pairs, config.mode, config.orderings) == (
        ["default"],
        "all",
        "live",
        ["original"],
    )
    assert (config.repeats, config.seed, config.sample) == (0, 0, None)
    assert (config.run.concurrency, config.run.timeout_s, config.run.retries, config.run.max_usd) == (
        "auto",
        600,
        5,
        None,
    )
    assert config.models["m1"].logprobs is False


def test_the_documented_example_is_read(tmp_path):
    (tmp_path / "ifeval").mkdir()
    (tmp_path / "run.toml").write_text(
        """
study = "ifeval-mini"
data = "ifeval"
generators = ["m1", "m2", "m3"]
judges = ["m1", "m2"]
paradigms = ["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]
variants = ["default"]
pairs = "all"
mode = "live"
orderings = ["original"]
repeats = 0
seed = 0
[sample]
n = 50
stratify = "category"
min_per_stratum = 7
[models.m1]
family = "alpha"
model = "openai/m1"
price = { input_per_million = 2.5, output_per_million = 10.0 }
api_base = "http://127.0.0.1:9000/v1"
api_key_env = "M1_KEY"
logprobs = false
params = { temperature = 0.0, max_tokens = 512 }
[models.m2]
model = "openai/m2"
[run]
concurrency = 64
timeout_s = 60
retries = 5
max_usd = 1.0
""",
        "utf-8",
    )

    config = load_config(tmp_path / "run.toml")

    assert config.folder == tmp_path
    assert config.models["m1"].params.to_dict() == {"temperature": 0.0, "max_tokens": 512}
    assert [(row["model"], row["family"]) for row in config.model_rows()] == [("m1", "alpha"), ("m2", "m2")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            GOOD.replace('judges = ["m1"]', 'judges = ["m9"]'),
            "judges: unknown model 'm9'; choose from: m1, m2",
        ),
        (
            GOOD.replace('"single_rubric"', '"single_rubrik"'),
            "'single_rubrik'; choose from: single_rubric, all",
        ),
        (_with('variants = ["cott"]'), "variants: unknown variant 'cott'.*choose from: default"),
        (_with('varants = ["cot"]'), "varants: unknown field; choose from: study, data"),
        (
            _with('modell = "x"', "[models.m3]"),
            r"models.m3.modell: unknown field; choose from: model, family",
        ),
        (_with('orderings = ["sideways"]'), "unknown ordering 'sideways'; choose from: original, reversed"),
        (_with('pairs = "some"'), "pairs.*'some'.*choose from: all, equal, null, contrast, proxy"),
        (_with('mode = "dead"'), "mode.*'dead'.*choose from: live, batch"),
        (_with("repeats = -1"), "repeats is -1: .*greater than or equal to 0"),
        (_with('seed = "0"'), "seed is '0': .*integer"),
        (_with("n = 0", "[sample]"), "sample.n is 0"),
        (_with("n = 5\nmin_per_stratum = 2", "[sample]"), "sample.stratify is missing"),
        (
            _with("retry_on = [200]", "[run]"),
            r"run.retry_on \(number 1\) is 200: .*or equal to 400",
        ),
        (_with("max_minutes = 0", "[run]"), "run.max_minutes is 0: .*greater than 0"),
        (
            _with("timeout_s = -1", "[models.m3]\nmodel = 'openai/m'"),
            "models.m3.timeout_s is -1: .*greater than 0",
        ),
        (_with("concurrency = 0", "[run]"), 'run.concurrency is 0: it must be "auto" or a whole number'),
        (_with("max_usd = nan", "[run]"), "run.max_usd is nan"),
        (_with("max_usd = 1"), r"max_usd: this field belongs under \[run\]; move it there"),
        (_with("temperature = 1"), r"temperature: this field belongs under \[models.NAME.params\]"),
        (_with("concurrency = 2"), r"concurrency: .* under \[run\] or under \[models.NAME\]; move"),
        (_with("judges = ['m1']", "[run]"), "run.judges: .* at the top of the file, above all tables"),
        (_with('data = "results/demo-none"'), "data: there is no .*spb data fetch demonstrations"),
        (_with("timeout_s = -5", "[run]"), "run.timeout_s is -5"),
        (
            _with("params = { temperature = -1 }", "[models.m3]\nmodel='x'"),
            "models.m3.params.temperature is -1",
        ),
        (_with("family = 'x'", "[models.m3]"), "models.m3.model is missing"),
        (GOOD.replace('study = "s"', 'study = "../s"'), "study: .*begins with a dot"),
        (GOOD.replace('study = "s"', ""), "study is missing"),
        (GOOD.replace('["m1", "m2"]', '["m1", "m1"]'), "generators.*'m1' is listed twice"),
        (GOOD.replace('paradigms = ["single_rubric"]', ""), "paradigms is empty"),
        (
            _with('data = "ifevall"'),
            "data: 'ifevall' is neither a file, a folder nor a known data set; give a file of questions, ",
        ),
        (_with('by = "m9"', "[transforms.paraphrase]"), "transforms.paraphrase.by: unknown model 'm9'"),
        (
            _with('by = "m1"', "[transforms.loud]"),
            "transforms.loud.template: .*'loud'.*choose from: .*paraphrase",
        ),
        (
            _with("skil = 1", "[models.m3]\nmodel = 'simulated/m3'\n[models.m3.simulated]"),
            r"models.m3.simulated.skil: unknown field; choose from: skill, overestimation",
        ),
        (
            _with("skill = 1.5", "[models.m3]\nmodel = 'simulated/m3'\n[models.m3.simulated]"),
            "models.m3.simulated.skill is 1.5: give a number less than 1",
        ),
        (
            _with("self_ratio = 9.0", "[models.m3]\nmodel = 'simulated/m3'\n[models.m3.simulated]"),
            "models.m3.simulated: overestimation 0.2 times its largest ratio is 1.80",
        ),
        ("study = ", "not TOML: .*line 1"),
        ("[" * 5_000, "not TOML"),
    ],
)
def test_a_mistake_is_reported_with_its_place_value_and_the_choices(text, says):
    with pytest.raises(UsageError, match=says) as caught:
        parse_config(text, "run.toml")

    assert str(caught.value).startswith("run.toml: ")


@pytest.mark.parametrize(
    "text",
    [
        _with(f'api_key = "{KEY}"', "[models.m3]\nmodel='x'"),
        _with(f'api_key_env = "{KEY}"', "[models.m3]\nmodel='x'"),
        _with('api_key_env = "AIzaSyA1b2C3d4E5f6G7h8I9j0"', "[models.m3]\nmodel='x'"),
        _with('api_key_env = "Zx9Lq2Wm8Rt5Yv1Kp4Nb7"', "[models.m3]\nmodel='x'"),
        _with(f'params = {{ api_key = "{KEY}" }}', "[models.m3]\nmodel='x'"),
        _with(
            f'params = {{ extra_headers = {{ Authorization = "Bearer {KEY}" }} }}', "[models.m3]\nmodel='x'"
        ),
        _with('api_base = "https://me:hunter2secret@host/v1"', "[models.m3]\nmodel='x'"),
        _with(_sent("extra_headers", "X-Auth", "hunter2"), "[models.m3]\nmodel='x'"),
        _with(_sent("extra_headers", "Cookie", "session=hunter2"), "[models.m3]\nmodel='x'"),
        _with(_sent("extra_headers", "X-Team", "Zx9Lq2Wm8Rt5Yv1Kp4Nb7"), "[models.m3]\nmodel='x'"),
        _with(_sent("extra_headers", "X-Functions-Key", "hunter2"), "[models.m3]\nmodel='x'"),
        _with(_sent("extra_query", "code", "hunter2"), "[models.m3]\nmodel='x'"),
        _with(_sent("extra_query", "v", "zx9lq2wm8rt5yv1kp4nb7"), "[models.m3]\nmodel='x'"),
        _with('api_base = "https://host/v1?code=hunter2"', "[models.m3]\nmodel='x'"),
        _with('api_base = "https://host/v1?x=1&sig=hunter2"', "[models.m3]\nmodel='x'"),
        _with(f'api_base = "https://host/{KEY}/v1"', "[models.m3]\nmodel='x'"),
        _with('api_base = "https://host/Zx9Lq2Wm8Rt5Yv1Kp4Nb7/v1"', "[models.m3]\nmodel='x'"),
        _with('api_base = "https://host/v1#token=hunter2"', "[models.m3]\nmodel='x'"),
        _with(f"# the key was {KEY}"),
        _with(f'key = "{KEY}"'),
        f'api_key = "{KEY}" "and more',
    ],
)
def test_a_key_is_refused_and_never_shown(text):
    with pytest.raises(UsageError) as caught:
        parse_config(text)

    for secret in (KEY, "AIza", "Zx9Lq2", "zx9lq2", "hunter2"):
        assert secret not in str(caught.value)
    assert "must not contain a key" in str(caught.value) or "not TOML" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        'api_base = "https://mine.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-05-01-preview"',
        'api_base = "https://gateway.example/v1/0123456789abcdef0123456789abcdef/team/openai"',
        'api_base = "https://host/models/Meta-Llama-3.1-70B-Instruct/v1"',
        'params = { extra_headers = { X-Title = "judges", HTTP-Referer = "https://example.org" } }',
        'params = { extra_query = { api-version = "2024-05-01-preview" } }',
        "# the key is in M3_KEY",
    ],
)
def test_what_is_no_key_is_accepted(line):
    parse_config(_with(line, "[models.m3]\nmodel='x'"))


def test_a_model_may_have_any_word_as_its_name():
    text = GOOD.replace("m2", "token").replace("m1", "key")

    assert parse_config(text).judges == ["key"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"none\.toml.*cannot be read"):
        load_config(tmp_path / "none.toml")


def test_paths_are_relative_to_the_configurations_folder(tmp_path):
    (tmp_path / "mine.txt").write_text("{{response}} meets {{rubric}}?", "utf-8")
    (tmp_path / "run.toml").write_text(_with('variants = ["./mine.txt"]'), "utf-8")

    assert load_config(tmp_path / "run.toml").variants == ["./mine.txt"]


def test_only_named_models_may_be_called():
    text = _with('by = "m2"', "[transforms.style]").replace('["m1", "m2"]', '["m1"]')

    assert parse_config(text).run_models() == ("m1", "m2")


def test_a_key_in_a_comment_is_named_by_its_line():
    with pytest.raises(UsageError, match=r"^run\.toml: line 3: "):
        parse_config(f"\n\n# the key was {KEY}\n{GOOD}", "run.toml")


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("sk-0123456789abcdefg", True),  # 20 characters
        ("sk-0123456789abcdef", False),
        ("the key: sk-0123456789abcdefg.", True),
        ("the word sk-abcdefghijklmnopqrs", False),  # no digit
        ("0123456789abcdef0123456789abcdef", False),
        ("https://me:secret@host/v1", True),
        ("https://me@host/v1", False),
        ("https://host/Zx9Lq2Wm8Rt5Yv1Kp4Nb/v1", True),  # 20 small and large letters and digits
        ("https://host/Zx9Lq2Wm8Rt5Yv1Kp4N/v1", False),
        ("https://host/zx9lq2wm8rt5yv1kp4nb7/v1", False),
        ("https://host/%5Ax9Lq2Wm8Rt5Yv1Kp4Nb/v1", True),
        ("https://host/v1?v=zx9lq2wm8rt5yv1k", True),  # 16 letters and digits
        ("https://host/v1?v=zx9lq2wm8rt5yv1", False),
        ("https://host/v1?v=abcdefghijklmnopqrst", False),
        ("https://host/v1?v=12345678901234567890", False),
        ("https://host/v1?sig=x", True),
        ("https://host/v1?signed=x", False),
        ("https://host/v1#code=x", True),
        ("https://[broken", False),
        (7, False),
    ],
)
def test_what_is_shaped_like_a_key_is_told_from_what_is_not(value, is_secret):
    assert looks_secret(value) is is_secret


@pytest.mark.parametrize(
    ("field", "is_secret"),
    [("api_key", True), ("apikey", True), ("my-token", True), ("key", True), ("password", True),
     ("api_key_env", False), ("keyboard", False), ("max_tokens", False), ("tokenizer", False)],
)  # fmt: skip
def test_a_field_that_would_hold_a_secret_is_known_by_its_name(field, is_secret):
    assert names_secret(field) is is_secret


def test_secrets_are_found_in_tables_and_lists():
    values = {
        "a": [{"x": 1}, {"token": "t"}],
        "token": {"b": KEY, "api_key_env": KEY},
        "params": {
            "Extra_Headers": {"X": "zx9lq2wm8rt5yv1k", "Y": "words"},
            "extra_query": {"auth": {"in": 1}},
        },
    }  # fmt: skip

    assert secret_places(values) == [
        ("a", 1, "token"), ("token", "b"), ("params", "Extra_Headers", "X"),
    ]  # fmt: skip
