import { hash as argon2 } from '@node-rs/argon2'
import { bcryptRecord } from '../../support/import-file.ts'
import { type Expected, PASSWORD, type Tables, UNKNOWN_FORMAT, uuidOf } from './rows.ts'

const SCHEMA = `
  CREATE TABLE app_id_to_user_id (app_id varchar(64) DEFAULT 'public', user_id char(36) NOT NULL,
    recipe_id varchar(128) NOT NULL, primary_or_recipe_user_id char(36) NOT NULL, PRIMARY KEY (app_id, user_id));
  CREATE TABLE emailpassword_users (app_id varchar(64) DEFAULT 'public', user_id char(36) NOT NULL,
    email varchar(256) NOT NULL, password_hash varchar(256) NOT NULL, time_joined bigint NOT NULL,
    PRIMARY KEY (app_id, user_id));
  CREATE TABLE emailverification_verified_emails (app_id varchar(64) DEFAULT 'public',
    user_id varchar(128) NOT NULL, email varchar(256) NOT NULL, PRIMARY KEY (app_id, user_id, email));
  CREATE TABLE userid_mapping (app_id varchar(64) DEFAULT 'public', supertokens_user_id char(36) NOT NULL,
    external_user_id varchar(128) NOT NULL, external_user_id_info text);`

/** The user to which dave’s password is linked, and the id that carol’s application gave her. */
const [LINKED_ID, EXTERNAL_ID] = [uuidOf(14), uuidOf(15)] as const

const FIREBASE =
  '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw=='

export const superTokens = async (): Promise<Tables> => {
  const bcrypt = (await bcryptRecord(PASSWORD)).replace('$2b$', '$2a$')
  const cheap = { memoryCost: 1024, timeCost: 1, parallelism: 2 }
  const users = [
    user(0, 'ada', bcrypt),
    user(1, 'bob', await argon2(PASSWORD, cheap)),
    user(2, 'carol', bcrypt),
    user(3, 'dave', bcrypt),
    user(4, 'dave2', bcrypt),
    user(5, 'frank', FIREBASE),
    { ...user(6, 'grace', bcrypt), email: 'Ada@Example.com' },
    { ...user(7, 'heidi', bcrypt), app_id: 'another' },
  ]
  const dave = users.slice(3, 5)
  return {
    schema: SCHEMA,
    rows: {
      app_id_to_user_id: [
        ...users.map((one) => known(one, dave.includes(one) ? LINKED_ID : one.user_id)),
        { ...known({ app_id: 'public', user_id: LINKED_ID }, LINKED_ID), recipe_id: 'thirdparty' },
      ],
      emailpassword_users: users,
      emailverification_verified_emails: [
        { app_id: 'public', user_id: uuidOf(0), email: 'ada@example.com' },
        { app_id: 'public', user_id: uuidOf(1), email: 'an-old-address@example.com' },
        { app_id: 'public', user_id: EXTERNAL_ID, email: 'carol@example.com' },
        { app_id: 'another', user_id: uuidOf(3), email: 'dave@example.com' },
      ],
      userid_mapping: [
        { app_id: 'public', supertokens_user_id: uuidOf(1), external_user_id: 'user-2' },
        { app_id: 'public', supertokens_user_id: uuidOf(2), external_user_id: EXTERNAL_ID },
      ],
    },
  }
}

const user = (number: number, name: string, password_hash: string) => ({
  app_id: 'public',
  user_id: uuidOf(number),
  email: `${name}@example.com`,
  password_hash,
  time_joined: Date.UTC(2022, 0, 1, 0, 0, number, 999),
})

const known = ({ app_id, user_id }: Readonly<{ app_id: string; user_id: string }>, primaryId: string) => ({
  app_id,
  user_id,
  recipe_id: 'emailpassword',
  primary_or_recipe_user_id: primaryId,
})

export const FROM_SUPERTOKENS: Expected = {
  imported: [
    { email: 'ada@example.com', id: uuidOf(0), isVerified: true, createdAt: '2022-01-01T00:00:00.000Z' },
    { email: 'bob@example.com', createdAt: '2022-01-01T00:00:01.000Z' },
    {
      email: 'carol@example.com',
      id: EXTERNAL_ID,
      isVerified: true,
      createdAt: '2022-01-01T00:00:02.000Z',
    },
    { email: 'dave@example.com', id: LINKED_ID, createdAt: '2022-01-01T00:00:03.000Z' },
  ],
  skipped: [],
  known: 1,
  bad: [
    [5, '"id" belongs to a user with another e-mail address.'],
    [6, UNKNOWN_FORMAT],
  ],
}
