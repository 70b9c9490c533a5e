import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hash as argon2 } from '@node-rs/argon2'
import { bcryptRecord } from '../../support/import-file.ts'
import { type Expected, PASSWORD, type Rows, UNKNOWN_FORMAT, uuidOf } from './rows.ts'

/** The records of carol and dave are of this password. The tests of Kratos publish them. */
const PUBLISHED_PASSWORD = 'test'

const PUBLISHED = {
  carol:
    '$scrypt$ln=16384,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
  dave: '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc',
}

/** A secret as Kratos makes them. */
const APP = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const totp = {
  config: {
    totp_url: `otpauth://totp/Shop:ada@example.com?algorithm=SHA1&digits=6&issuer=Shop&period=30&secret=${APP}`,
  },
}

/** What the admin API returns with `include_credential=password&include_credential=totp`. */
export const kratosIdentities = async (): Promise<Rows> => {
  const bcrypt = await bcryptRecord(PASSWORD)
  const cheap = { memoryCost: 1024, timeCost: 1, parallelism: 2 }
  return [
    identity(0, ['ada@example.com'], await argon2(PASSWORD, cheap), {
      verified: 'ada@example.com',
      totp,
    }),
    identity(1, ['bob@example.com'], bcrypt.replace('$2b$', '$2a$'), { verified: 'an-old-one@example.com' }),
    identity(2, ['carol', 'old@example.com', 'carol@example.com'], PUBLISHED.carol, {
      verified: 'carol@example.com',
    }),
    identity(3, ['dave@example.com'], PUBLISHED.dave),
    identity(4, ['eve@example.com'], undefined),
    identity(5, ['frank@example.com'], '$md5$CY9rzUYh03PK3k6DJie09g=='),
    identity(6, ['grace'], bcrypt),
    identity(7, ['mallory@example.com'], bcrypt, { state: 'inactive' }),
    identity(8, ['trent@example.com'], ''),
    identity(9, ['victor@example.com'], bcrypt, { totp }),
  ]
}

const identity = (
  number: number,
  identifiers: ReadonlyArray<string>,
  hash: string | undefined,
  { verified = '', state = 'active', totp = {} } = {},
) => ({
  id: uuidOf(number),
  credentials: {
    totp: { type: 'totp', identifiers: [], version: 0, ...totp },
    ...(hash === undefined
      ? {}
      : { password: { type: 'password', identifiers, config: configOf(hash), version: 0 } }),
  },
  schema_id: 'default',
  state,
  traits: { email: identifiers[0] },
  verifiable_addresses: [...new Set([...identifiers, verified])].map((value) => ({
    value,
    verified: value === verified,
    via: 'email',
    status: value === verified ? 'completed' : 'sent',
  })),
  created_at: `2023-10-07T08:23:0${number}.123456Z`,
})

const configOf = (hash: string) =>
  hash === '' ? { hashed_password: '', use_password_migration_hook: true } : { hashed_password: hash }

/** An admin API like that of Kratos, with at most two identities per page. */
export const startKratos = async (
  identities: Rows,
  status = 200,
): Promise<Readonly<{ url: string; end: () => void }>> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://kratos')
    if (
      pathname !== '/admin/identities' ||
      searchParams.getAll('include_credential').join(' ') !== 'password totp'
    )
      return response.writeHead(404).end('{}')
    const from = Number(searchParams.get('page_token') ?? 0)
    const linkTo = (rel: string, token: number) => {
      searchParams.set('page_token', String(token))
      return `<${pathname}?${searchParams}>; rel="${rel}"`
    }
    const next = from + 2 < identities.length ? [linkTo('next', from + 2)] : []
    response.writeHead(status, {
      'Content-Type': 'application/json',
      Link: [linkTo('first', 0), ...next].join(','),
    })
    return response.end(JSON.stringify(identities.slice(from, from + 2)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end }
}

export const FROM_KRATOS: Expected = {
  imported: [
    {
      email: 'ada@example.com',
      id: uuidOf(0),
      isVerified: true,
      createdAt: '2023-10-07T08:23:00.000Z',
      totp: [APP],
    },
    { email: 'bob@example.com', id: uuidOf(1), createdAt: '2023-10-07T08:23:01.000Z' },
    {
      email: 'carol@example.com',
      id: uuidOf(2),
      isVerified: true,
      createdAt: '2023-10-07T08:23:02.000Z',
      password: PUBLISHED_PASSWORD,
    },
    {
      email: 'dave@example.com',
      id: uuidOf(3),
      createdAt: '2023-10-07T08:23:03.000Z',
      password: PUBLISHED_PASSWORD,
    },
  ],
  skipped: [
    `${uuidOf(4)}: no password`,
    `${uuidOf(6)}: no e-mail`,
    `${uuidOf(7)}: inactive`,
    `${uuidOf(8)}: no password`,
  ],
  known: 0,
  bad: [
    [5, UNKNOWN_FORMAT],
    [6, '"totp" requires "email_verified": true.'],
  ],
}
