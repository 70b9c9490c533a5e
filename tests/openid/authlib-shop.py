"""An application in Flask whose first page needs a person. Authlib signs them in. Sessions of browsers are kept in memory."""

import os
import secrets
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, jsonify, redirect, session

ADDRESS, ISSUER = os.environ["ADDRESS"], os.environ["ISSUER"]
CLIENT_ID, CLIENT_SECRET = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]

app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
provider = OAuth(app).register(
    "provider",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email", "code_challenge_method": "S256"},
)
tokens = {}


@app.get("/")
def home():
    token = tokens.get(session.get("id"))
    if token is None:
        return provider.authorize_redirect(f"{ADDRESS}/callback", max_age=300)
    return jsonify(claims=token["userinfo"], userinfo=provider.userinfo(token=token), refresh_token=token["refresh_token"])


@app.get("/callback")
def callback():
    session["id"] = secrets.token_urlsafe()
    tokens[session["id"]] = provider.authorize_access_token()  # verifies the ID token, too
    return redirect("/")


@app.get("/refresh")
def refresh():
    token = tokens[session["id"]]
    client = OAuth2Session(CLIENT_ID, CLIENT_SECRET, token=token)
    renewed = client.refresh_token(provider.load_server_metadata()["token_endpoint"])
    tokens[session["id"]] = {**token, **renewed}
    return redirect("/")


@app.get("/logout")
def logout():
    token = tokens.pop(session.pop("id"))
    hint = urlencode({"id_token_hint": token["id_token"], "post_logout_redirect_uri": f"{ADDRESS}/bye"})
    return redirect(f"{provider.load_server_metadata()['end_session_endpoint']}?{hint}")


@app.get("/bye")
def bye():
    return "Bye."


if __name__ == "__main__":
    app.run("127.0.0.1", int(os.environ["PORT"]))
