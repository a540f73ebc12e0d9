"""A local OpenID Connect login service, whose page lets anyone choose who they are."""

import base64
import hashlib
import html
import http.server
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

CLIENT, SECRET = "spb", "what the explorer and the service know"
Claims = Mapping[str, object]


@dataclass(frozen=True)
class Login:
    """The explorer's request, and the person for whom a code was issued."""

    person: str
    redirect_uri: str
    nonce: str
    challenge: str


@contextmanager
def login_service(people: Mapping[str, Claims]) -> Iterator[str]:
    """Serve people by name, each with their claims; yield the address of the service."""
    server = _Server(people)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    """The service's key, its people, and the codes that it has issued."""

    def __init__(self, people: Mapping[str, Claims]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = ECKey.generate_key("P-256", {"kid": "1"})
        self.codes: dict[str, Login] = {}
        self.people = people
        self.issuer = f"http://127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        parameters = dict(parse_qsl(place.query))
        match place.path:
            case "/.well-known/openid-configuration":
                self._json(_metadata(self.server.issuer))
            case "/jwks":
                self._json({"keys": [self.server.key.as_dict(private=False)]})
            case "/authorize":
                self._page(parameters)
            case "/end":
                self.send_response(302)
                self.send_header("Location", parameters["post_logout_redirect_uri"])
                self.end_headers()
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        """Exchange a code for a token, once, for the client that knows the secret and requested the code."""
        body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        login = self.server.codes.pop(body["code"][0], None)
        credentials = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers["Authorization"] != f"Basic {credentials}":
            self._json({"error": "invalid_client"}, 401)
        elif (
            login is None
            or login.redirect_uri != body["redirect_uri"][0]
            or login.challenge != _challenge(body["code_verifier"][0])
        ):
            self._json({"error": "invalid_grant"}, 400)
        else:
            now = int(time.time())
            claims = {
                "iss": self.server.issuer,
                "aud": CLIENT,
                "sub": login.person,
                "iat": now,
                "exp": now + 3600,
            }
            claims |= {"nonce": login.nonce, **self.server.people[login.person]}
            token = jwt.encode({"alg": "ES256", "kid": "1"}, claims, self.server.key)
            self._json({"access_token": "-", "token_type": "Bearer", "id_token": token})

    def _page(self, parameters: dict[str, str]) -> None:
        links = []
        for person in self.server.people:
            code = secrets.token_urlsafe()
            self.server.codes[code] = Login(
                person, parameters["redirect_uri"], parameters["nonce"], parameters["code_challenge"]
            )
            links.append(_link(parameters, person, code=code))
        links.append(_link(parameters, "Cancel", error="access_denied"))
        self._send("<br>".join(links).encode(), "text/html")

    def _json(self, content: object, status: int = 200) -> None:
        self._send(json.dumps(content).encode(), "application/json", status)

    def _send(self, content: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _metadata(issuer: str) -> dict[str, object]:
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "jwks_uri": f"{issuer}/jwks",
        "end_session_endpoint": f"{issuer}/end",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "code_challenge_methods_supported": ["S256"],
    }


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _link(parameters: dict[str, str], words: str, **answer: str) -> str:
    href = f"{parameters['redirect_uri']}?{urlencode({'state': parameters['state'], **answer})}"
    return f'<a href="{html.escape(href)}">{html.escape(words)}</a>'
