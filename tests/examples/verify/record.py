import base64, hashlib, hmac

def matches(record, password, peppers):
    scheme, pepper_id, encoded = record.split("$")
    kdf = base64.b64decode(encoded, validate=True)
    if scheme != "1" or len(kdf) != 96 or kdf[:7] != b"scrypt\0":
        raise ValueError("not a record of scheme 1")
    if hashlib.sha256(kdf[:48]).digest()[:16] != kdf[48:64]:
        raise ValueError("damaged")
    n, r, p = 2 ** kdf[7], int.from_bytes(kdf[8:12], "big"), int.from_bytes(kdf[12:16], "big")
    pepper = peppers[pepper_id] if pepper_id else ""
    secret = hmac.new(pepper.encode(), password.encode(), "sha512").digest()
    key = hashlib.scrypt(secret, salt=kdf[16:48], n=n, r=r, p=p, dklen=64, maxmem=2**31 - 1)
    return hmac.compare_digest(hmac.new(key[32:], kdf[:64], "sha256").digest(), kdf[64:])
