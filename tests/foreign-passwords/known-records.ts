/** Published records: the password, the record, its scheme. */
export const KNOWN: ReadonlyArray<
  readonly [source: string, password: string, record: string, scheme: string]
> = [
  // crypt_blowfish, and jBCrypt
  ['bcrypt', '', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy', 'bcrypt:5'],
  ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt:5'],
  ['bcrypt', 'U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', 'bcrypt:5'],
  ['bcrypt', 'U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a', 'bcrypt:5'],
  ['bcrypt 2b', 'U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt:5'],
  ['bcrypt 2y', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt:5'],
  [
    'bcrypt of more than 72 bytes',
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
    'bcrypt:5',
  ],
  ['bcrypt', 'a', '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe', 'bcrypt:6'],
  ['bcrypt', 'abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i', 'bcrypt:6'],
  // The reference implementation of Argon2. The vectors of RFC 9106 §5 have associated data, which password records never have.
  [
    'argon2id',
    'password',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    'argon2id:m=256,t=2,p=1',
  ],
  [
    'argon2id with two lanes',
    'password',
    '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
    'argon2id:m=256,t=2,p=2',
  ],
  [
    'argon2i',
    'password',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
    'argon2i:m=256,t=2,p=1',
  ],
  [
    'argon2i with two lanes',
    'password',
    '$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E',
    'argon2i:m=256,t=2,p=2',
  ],
  [
    'argon2i of version 16, which is not written',
    'password',
    '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY',
    'argon2i:m=256,t=2,p=1',
  ],
  [
    'argon2i of version 16, which is written',
    'password',
    '$argon2i$v=16$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs',
    'argon2i:m=256,t=2,p=2',
  ],
  [
    'argon2d',
    'password',
    '$argon2d$v=19$m=16,t=2,p=1$cTdzWUJjMGFmRDB4RVRuNQ$nllqyj2CadDpydSSPozmbw',
    'argon2d:m=16,t=2,p=1',
  ],
  // RFC 7914 §12
  [
    'scrypt',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
    'scrypt:14,8,1',
  ],
  // passlib
  [
    'scrypt',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    'scrypt:16,8,1',
  ],
  [
    'pbkdf2 with sha1',
    'password',
    '$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI',
    'pbkdf2-sha1:1212',
  ],
  [
    'pbkdf2 with sha256, written by passlib',
    'password',
    '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ',
    'pbkdf2-sha256:1212',
  ],
  [
    'pbkdf2 with sha256, of a Greek name',
    '\u0399\u03c9\u03b1\u03bd\u03bd\u03b7\u03c2',
    '$pbkdf2-sha256$1212$3SABFJGDtyhrQMVt1uABPw$WyaUoqCLgvz97s523nF4iuOqZNbp5Nt8do/cuaa7AiI',
    'pbkdf2-sha256:1212',
  ],
  [
    'pbkdf2 with sha512, written by passlib',
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
    'pbkdf2-sha512:1212',
  ],
  [
    'pbkdf2 with sha256, as a PHC string',
    'password',
    '$pbkdf2-sha256$i=1212,l=32$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg+fJPeq1h/gXXY7acBp9/6c+tmQ',
    'pbkdf2-sha256:1212',
  ],
  // RFC 6070, with an output of two digests
  [
    'pbkdf2 with sha1 and an output of 25 bytes',
    'passwordPASSWORDpassword',
    '$pbkdf2-sha1$i=4096$c2FsdFNBTFRzYWx0U0FMVHNhbHRTQUxUc2FsdFNBTFRzYWx0$PS7sT+QchJuAyNg2YsDkSospGpZM8vBwOA',
    'pbkdf2-sha1:4096,blocks=2',
  ],
]
