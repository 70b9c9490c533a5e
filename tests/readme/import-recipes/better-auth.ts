import { scryptSync } from 'node:crypto'
import { bcryptRecord } from '../../support/import-file.ts'
import { type Expected, PASSWORD, SALT, type Tables, UNKNOWN_FORMAT, uuidOf } from './rows.ts'

/** Made by `hashPassword` of @better-auth/utils 0.5.1. */
const MADE_BY_BETTER_AUTH = {
  ada: 'e96aaf1b4d77cff00becccd15a92bad1:87fbe2fff921c3a53808eb97dcd791d3901a9d8b7a2b08f85bcc4cfe371850791ba4db36f0cde6fe1594c563156cfcb6aa8e18ad5f62e1c0fb0dd04b4929883c',
  dave: '8ba6a6dfaa22ee3ddeaa46a855a7f7f3:fd2aa55e1620a5dbadd3f4d5504982c0fef3865130e89fa348d7c2d8fcec7267d11a8dd79087187ef89fc3a6dc3aa2f6b2ae69634c78395ff8c68b72e858f3f4',
}

/** better-auth normalizes it to `m2 café`. */
const NORMALIZED_PASSWORD = 'm² café'

/** Hashes as better-auth does: the salt is text, and the password is normalized. */
const hashOf = (password: string): string => {
  const salt = SALT.toString('hex')
  const output = scryptSync(password.normalize('NFKC'), salt, 64, { N: 16384, r: 16, p: 1, maxmem: 2 ** 26 })
  return `${salt}:${output.toString('hex')}`
}

/** With its plugin `admin`. The times have no zone, as Drizzle and Prisma make them. SQLite reads the same schema. */
const SCHEMA = `
  CREATE TABLE "user" ("id" text PRIMARY KEY, "name" text NOT NULL, "email" text NOT NULL UNIQUE,
    "emailVerified" boolean NOT NULL, "image" text, "createdAt" timestamp NOT NULL, "updatedAt" timestamp NOT NULL,
    "role" text, "banned" boolean, "banReason" text, "banExpires" timestamp);
  CREATE TABLE "account" ("id" text PRIMARY KEY, "accountId" text NOT NULL, "providerId" text NOT NULL,
    "userId" text NOT NULL REFERENCES "user" ("id"), "accessToken" text, "password" text,
    "createdAt" timestamp NOT NULL, "updatedAt" timestamp NOT NULL);`

const user = (id: string, name: string, minute: number, more: object = {}) => {
  const at = `2024-05-01T12:0${minute}:00.123Z`
  // Some programs take the separator of this name for the end of a line.
  const person = { id, name: `One\u2028name\nof ${name}`, email: `${name}@example.com`, emailVerified: false }
  return { ...person, createdAt: at, updatedAt: at, banned: null, banExpires: null, ...more }
}

const account = (userId: string, password: string | null, providerId = 'credential') => {
  const at = '2024-05-01T12:00:00.000Z'
  return { id: `of-${userId}`, accountId: userId, providerId, userId, password, createdAt: at, updatedAt: at }
}

const RANDOM_ID = 'Wm3kDqHcYt8bRz5VnLx1PfSg7JaEuo2T'

export const betterAuth = async (): Promise<Tables> => {
  const hash = hashOf(PASSWORD)
  return {
    schema: SCHEMA,
    rows: {
      user: [
        user(RANDOM_ID, 'ada', 0, { emailVerified: true }),
        user(uuidOf(1), 'bob', 1),
        user('carol', 'carol', 2),
        user('dave', 'dave', 3),
        user('eve', 'eve', 4),
        user('frank', 'frank', 5),
        user('grace', 'grace', 6, { email: 'Ada@Example.com' }),
        user('mallory', 'mallory', 7, { banned: true }),
        user('oscar', 'oscar', 8, { banned: true, banExpires: '2999-01-01T00:00:00.000Z' }),
        user('trent', 'trent', 9, { banned: true, banExpires: '2024-06-01T00:00:00.000Z' }),
      ],
      account: [
        account(RANDOM_ID, MADE_BY_BETTER_AUTH.ada),
        account(uuidOf(1), hash),
        account('carol', await bcryptRecord(PASSWORD)),
        account('dave', MADE_BY_BETTER_AUTH.dave),
        account('eve', null, 'google'),
        account('frank', '5f4dcc3b5aa765d61d8327deb882cf99'),
        account('grace', hash),
        account('mallory', hash),
        account('oscar', hash),
        account('trent', hash),
      ],
    },
  }
}

export const FROM_BETTER_AUTH: Expected = {
  imported: [
    { email: 'ada@example.com', isVerified: true, createdAt: '2024-05-01T12:00:00.000Z' },
    { email: 'bob@example.com', id: uuidOf(1), createdAt: '2024-05-01T12:01:00.000Z' },
    { email: 'carol@example.com', createdAt: '2024-05-01T12:02:00.000Z' },
    {
      email: 'dave@example.com',
      createdAt: '2024-05-01T12:03:00.000Z',
      password: NORMALIZED_PASSWORD.normalize('NFKC'),
      lost: NORMALIZED_PASSWORD,
    },
    { email: 'trent@example.com', createdAt: '2024-05-01T12:09:00.000Z' },
  ],
  skipped: ['mallory: banned', 'oscar: banned'],
  known: 1,
  bad: [[5, UNKNOWN_FORMAT]],
}
