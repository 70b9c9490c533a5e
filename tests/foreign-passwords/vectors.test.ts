import { expect } from 'chai'
import { pbkdf2Of } from '../../adapters/credentials/foreign-passwords/pbkdf2.ts'
import { scryptOf } from '../../adapters/credentials/foreign-passwords/scrypt.ts'

/** Vectors whose salts are too short for a record. */

describe('the published vectors of scrypt (RFC 7914 §12)', () => {
  for (const [password, salt, logN, r, p, output] of [
    [
      '',
      '',
      4,
      1,
      1,
      '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
    ],
    [
      'password',
      'NaCl',
      10,
      8,
      16,
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ],
  ] as const) {
    it(`N = 2^${logN}, r = ${r}, p = ${p}`, async () => {
      const found = await scryptOf(password, { logN, r, p, salt: Buffer.from(salt), bytes: 64 })
      expect(found.toString('hex')).to.equal(output)
    })
  }
})

describe('the published vectors of PBKDF2 (RFC 6070, RFC 7914 §11)', () => {
  for (const [digest, password, salt, iterations, output] of [
    ['sha1', 'password', 'salt', 1, '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
    ['sha1', 'password', 'salt', 2, 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957'],
    ['sha1', 'password', 'salt', 4096, '4b007901b765489abead49d926f721d065a429c1'],
    ['sha1', 'pass\0word', 'sa\0lt', 4096, '56fa6aa75548099dcc37d7f03425e0c3'],
    [
      'sha256',
      'passwd',
      'salt',
      1,
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
    ],
    [
      'sha256',
      'Password',
      'NaCl',
      80000,
      '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d',
    ],
  ] as const) {
    it(`HMAC-${digest}, ${iterations} iterations of ${JSON.stringify(password)}`, async () => {
      const bytes = output.length / 2
      const found = await pbkdf2Of(password, { digest, iterations, salt: Buffer.from(salt), bytes })
      expect(found.toString('hex')).to.equal(output)
    })
  }
})
