import { pbkdf2Sync } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import { base32 } from '../../../domain/base32.ts'
import { type Expected, PASSWORD, SALT, type Tables, UNKNOWN_FORMAT, uuidOf } from './rows.ts'

const SCHEMA = `
  CREATE TABLE realm (id varchar(36) PRIMARY KEY, name varchar(255) UNIQUE);
  CREATE TABLE user_entity (id varchar(36) PRIMARY KEY, email varchar(255), email_verified boolean NOT NULL,
    enabled boolean NOT NULL, realm_id varchar(255), username varchar(255), created_timestamp bigint);
  CREATE TABLE credential (id varchar(36) PRIMARY KEY, type varchar(255), user_id varchar(36), secret_data text,
    credential_data text, user_label varchar(255));
  CREATE TABLE user_required_action (user_id varchar(36) NOT NULL, required_action varchar(255) NOT NULL);`

type Credential = Readonly<{ type: string; secretData: string; credentialData: string; userLabel?: string }>

/** A user as `kc.sh export` writes it, without the parts that are not read. */
type User = Readonly<{
  id: string
  username: string
  email?: string | undefined
  emailVerified: boolean
  enabled: boolean
  createdTimestamp: number
  requiredActions: ReadonlyArray<string>
  credentials: ReadonlyArray<Credential>
}>

const argon2 = (type: string, version: string, value: string, salt: string): Credential =>
  credential(value, salt, {
    hashIterations: 5,
    algorithm: 'argon2',
    additionalParameters: {
      hashLength: ['32'],
      memory: ['7168'],
      type: [type],
      version: [version],
      parallelism: ['1'],
    },
  })

const pbkdf2 = (algorithm: string, hashIterations: number, value: string, salt: string): Credential =>
  credential(value, salt, { hashIterations, algorithm, additionalParameters: {} })

const credential = (value: string, salt: string, data: object): Credential => ({
  type: 'password',
  secretData: JSON.stringify({ value, salt, additionalParameters: {} }),
  credentialData: JSON.stringify(data),
})

/** An authenticator app as Keycloak keeps it. */
const otp = (value: string, data: object, userLabel = ''): Credential => ({
  type: 'otp',
  userLabel,
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({ digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1', ...data }),
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Hashes as Keycloak does. A setting of Keycloak pads passwords with NUL, which PBKDF2 ignores. */
const hashed = (algorithm: string, bytes: number): Credential => {
  const digest = algorithm.replace('pbkdf2-', '')
  const value = pbkdf2Sync(PASSWORD.padEnd(30, '\0'), SALT, 27500, bytes, digest)
  return pbkdf2(algorithm, 27500, base64(value), base64(SALT))
}

export const keycloakUsers = async (): Promise<ReadonlyArray<User>> => {
  const cost = { memoryCost: 7168, timeCost: 5, parallelism: 1, outputLen: 32, salt: SALT }
  const argon2i = base64(await hashRaw(PASSWORD, { algorithm: 1, version: 0, ...cost }))
  const sha512 = hashed('pbkdf2-sha512', 64)
  // Published in exports of Keycloak, like that of bob.
  const ada = argon2('id', '1.3', 'xKjWvB9+0sSP6wTqI1JoEI7w+iA0x9VDhPgmrOHRG80=', 'LRScGShC7shkdoU5B1UgUQ==')
  const bob = pbkdf2(
    'pbkdf2-sha256',
    27500,
    'RITBVPdh5pvXOa4JzJ5pZTE0rG96zhnQNmSsKCf83aU=',
    'drB9e5Smf3cbfUfF3FUerw==',
  )
  // The cost of Keycloak 24: each of the four digests takes 1,300,000 iterations.
  const erin = pbkdf2(
    'pbkdf2',
    1_300_000,
    '2vDs3SiCkH2Yit8MFK8wvEQ+3R4fi8gymUO7V52ZEX+0snIUqmgsm5ZSW6adxdjEoFmKAgO5cE1dI2LXXVPXxQ==',
    base64(Buffer.from('0123456789abcdef')),
  )
  const phone = otp('Quohp7t2mrLMUwft3g90', { subType: 'totp' }, 'Smartphone')
  const tablet = otp('jbswy3dpehpk3pxpjbswy3dp', { subType: 'totp', secretEncoding: 'BASE32' })
  const earlier = { ...sha512, type: 'password-history' }
  return [
    user(0, 'ada', [phone, ada, tablet], { emailVerified: true, requiredActions: ['TERMS_AND_CONDITIONS'] }),
    user(1, 'bob', [earlier, bob]),
    user(2, 'carol', [hashed('pbkdf2-sha256', 64)]),
    user(3, 'dave', [sha512]),
    user(4, 'erin', [erin]),
    user(5, 'frank', [argon2('i', '1.0', argon2i, base64(SALT))], { id: 'frank-1' }),
    user(6, 'grace', [sha512], { email: 'Ada@Example.com' }),
    user(7, 'heidi', [pbkdf2('pbkdf2-sha384', 27500, base64(SALT), base64(SALT))]),
    user(8, 'ivan', []),
    user(9, 'judy', [sha512], { email: undefined }),
    user(10, 'mallory', [sha512], { enabled: false }),
    user(11, 'trent', [sha512], { requiredActions: ['UPDATE_PASSWORD'] }),
    user(13, 'victor', [sha512, otp('Quohp7t2mrLMUwft3g90', { subType: 'hotp' })], { emailVerified: true }),
  ]
}

const user = (
  number: number,
  username: string,
  credentials: ReadonlyArray<Credential>,
  more: Partial<User> = {},
): User => ({
  id: uuidOf(number),
  username,
  email: `${username}@example.com`,
  emailVerified: false,
  enabled: true,
  createdTimestamp: Date.UTC(2021, 0, 1, 0, 0, number, 999),
  requiredActions: [],
  credentials,
  ...more,
})

/** The same users in the tables of Keycloak, beside a user of another realm. */
export const keycloakTables = (users: ReadonlyArray<User>): Tables => {
  const inRealm = (realm_id: string) => (one: User) => ({
    id: one.id,
    email: one.email,
    email_verified: one.emailVerified,
    enabled: one.enabled,
    realm_id,
    username: one.username,
    created_timestamp: one.createdTimestamp,
  })
  return {
    schema: SCHEMA,
    rows: {
      realm: [
        { id: 'realm-1', name: 'shop' },
        { id: 'realm-2', name: 'master' },
      ],
      user_entity: [...users.map(inRealm('realm-1')), inRealm('realm-2')(user(12, 'admin', []))],
      credential: users.flatMap((one) =>
        one.credentials.map(({ type, secretData, credentialData, userLabel = null }, index) => ({
          id: `${one.username}-${index}`,
          type,
          user_id: one.id,
          secret_data: secretData,
          credential_data: credentialData,
          user_label: userLabel,
        })),
      ),
      user_required_action: users.flatMap(({ id, requiredActions }) =>
        requiredActions.map((required_action) => ({ user_id: id, required_action })),
      ),
    },
  }
}

export const FROM_KEYCLOAK: Expected = {
  imported: [
    {
      email: 'ada@example.com',
      id: uuidOf(0),
      isVerified: true,
      createdAt: '2021-01-01T00:00:00.000Z',
      password: 'secret',
      totp: [base32(Buffer.from('Quohp7t2mrLMUwft3g90')), 'JBSWY3DPEHPK3PXPJBSWY3DP'],
    },
    {
      email: 'bob@example.com',
      id: uuidOf(1),
      createdAt: '2021-01-01T00:00:01.000Z',
      password: 'password',
    },
    { email: 'carol@example.com', id: uuidOf(2), createdAt: '2021-01-01T00:00:02.000Z' },
    { email: 'dave@example.com', id: uuidOf(3), createdAt: '2021-01-01T00:00:03.000Z' },
    { email: 'erin@example.com', id: uuidOf(4), createdAt: '2021-01-01T00:00:04.000Z' },
    { email: 'frank@example.com', createdAt: '2021-01-01T00:00:05.000Z' },
  ],
  skipped: [
    `${uuidOf(8)}: no password`,
    `${uuidOf(9)}: no e-mail`,
    `${uuidOf(10)}: disabled`,
    `${uuidOf(11)}: must change the password`,
  ],
  known: 1,
  bad: [
    [8, UNKNOWN_FORMAT],
    [9, '"totp[0].algorithm" must be SHA1.'],
  ],
}
