import base64
import json
import struct
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HEADER = 'v4.public.'


def decode(text):
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


def signed_text(*pieces):  # the pre-authentication encoding of PASETO
    sized = b''.join(struct.pack('<Q', len(piece)) + piece for piece in pieces)
    return struct.pack('<Q', len(pieces)) + sized


issuer, token, *roles = sys.argv[1:]
if not token.startswith(HEADER):
    sys.exit('this is no PASETO v4.public')
with urllib.request.urlopen(issuer + '/.well-known/paseto-keys.json', timeout=5) as response:
    keys = {key['kid']: key['paserk'] for key in json.load(response)['keys']}  # cache for 8 minutes at most
body, footer = (decode(part) for part in token[len(HEADER) :].split('.'))
paserk = keys[json.loads(footer)['kid']]  # names a key; not trusted before verify
message, signature = body[:-64], body[-64:]
key = Ed25519PublicKey.from_public_bytes(decode(paserk[len('k4.public.') :]))
key.verify(signature, signed_text(HEADER.encode(), message, footer, b''))
claims = json.loads(message)
expires = datetime.fromisoformat(claims['exp'].replace('Z', '+00:00'))
if claims['iss'] != issuer or expires + timedelta(seconds=5) <= datetime.now(timezone.utc):
    sys.exit('this token is of another issuer, or has expired')
if not set(roles) <= set(claims.get('roles', [])):  # the claim is absent without roles
    sys.exit('the user lacks a role')
print(claims['sub'])
