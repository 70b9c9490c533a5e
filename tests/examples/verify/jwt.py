import sys

import jwt

issuer, token, *roles = sys.argv[1:]
keys = jwt.PyJWKClient(issuer + '/.well-known/user-jwks.json', lifespan=480)  # seconds
if jwt.get_unverified_header(token).get('typ') != 'at+jwt':  # the signature below covers it
    sys.exit('this is no access token')
claims = jwt.decode(
    token,
    keys.get_signing_key_from_jwt(token).key,
    algorithms=['EdDSA'],
    issuer=issuer,
    audience=issuer,
    leeway=5,
    options={'require': ['sub', 'client_id', 'sid', 'iat', 'exp', 'jti']},
)
if not set(roles) <= set(claims.get('roles', [])):  # the claim is absent without roles
    sys.exit('the user lacks a role')
print(claims['sub'])
