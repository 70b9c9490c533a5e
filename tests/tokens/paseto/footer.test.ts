import { base64url, forgePaseto, pasetoFooter } from '../forge.ts'
import { type Attack, expectAccepted, refusesForged, type Target, underAttack } from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

const written = (target: Target): string => JSON.stringify(writtenClaims(target))

/** Other footers, from the kid of the key. */
const FOOTERS: ReadonlyArray<readonly [what: string, footer: (kid: string) => string]> = [
  ['none', () => ''],
  ['an empty object', () => '{}'],
  ['a list', () => '[]'],
  ['null', () => 'null'],
  ['the key id alone', (kid) => kid],
  ['the key id as a text', (kid) => JSON.stringify(kid)],
  ['the key id in a list', (kid) => JSON.stringify([kid])],
  ['the key id under another name', (kid) => JSON.stringify({ KID: kid })],
  ['the PASERK key id', (kid) => JSON.stringify({ kid: `k4.pid.${kid}` })],
  ['an extra member', (kid) => JSON.stringify({ kid, wpk: 'x' })],
  ['an extra member before it', (kid) => JSON.stringify({ wpk: 'x', kid })],
  ['the key id twice', (kid) => `{"kid":"attacker","kid":"${kid}"}`],
  ['a space in it', (kid) => JSON.stringify({ kid }).replace(':', ': ')],
  ['a trailing space', (kid) => `${JSON.stringify({ kid })} `],
  ['a trailing line feed', (kid) => `${JSON.stringify({ kid })}\n`],
  ['a byte order mark', (kid) => `\ufeff${JSON.stringify({ kid })}`],
  ['an escape in it', (kid) => JSON.stringify({ kid }).replace('kid', '\\u006bid')],
  ['a trailing zero byte', (kid) => `${JSON.stringify({ kid })}\0`],
  ['itself twice', (kid) => JSON.stringify({ kid }).repeat(2)],
  ['the footer in UTF-16', (kid) => Buffer.from(JSON.stringify({ kid }), 'utf16le').toString('latin1')],
  ['claims', (kid) => JSON.stringify({ kid, sub: 'eve', exp: '9999-12-31T23:59:59Z' })],
]

const OF_OUR_KEY: ReadonlyArray<Attack> = FOOTERS.flatMap(
  ([what, footer]): ReadonlyArray<Attack> => [
    [
      `a token that our key signed with this footer: ${what}`,
      (t) => forgePaseto(t.keys.user, written(t), { footer: footer(t.keys.user.kid) }),
    ],
    [
      `a valid token whose footer was replaced: ${what}`,
      (t) => {
        const body = t.user.token.split('.').slice(0, 3).join('.')
        const put = footer(t.keys.user.kid)
        return put === '' ? body : `${body}.${base64url(put)}`
      },
    ],
    [
      `a token that our key signed with this footer, with the correct footer inserted afterwards: ${what}`,
      (t) => {
        const signed = forgePaseto(t.keys.user, written(t), { footer: footer(t.keys.user.kid) })
        return [...signed.split('.').slice(0, 3), base64url(pasetoFooter(t.keys.user))].join('.')
      },
    ],
  ],
)

/** Signed but never sent (version 4 of the specification). The service signs without one. */
const ASSERTIONS = [' ', '{}', 'null', '{"user":"ada"}', 'http://service.test', '\0']

describe('the footer of a PASETO', () => {
  const target = underAttack()

  refusesForged(target, OF_OUR_KEY)

  refusesForged(target, [
    ['an empty fourth part', ({ user }) => `${user.token.split('.').slice(0, 3).join('.')}.`],
    ['a fifth part', ({ user }) => `${user.token}.${base64url('{}')}`],
    ['an empty fifth part', ({ user }) => `${user.token}.`],
    ['its footer twice', ({ user }) => `${user.token}.${user.token.split('.')[3]}`],
    [
      'a footer moved into the claims',
      (t) => forgePaseto(t.keys.user, written(t) + pasetoFooter(t.keys.user), { footer: '' }),
    ],
    [
      'claims partly in the footer',
      (t) => {
        const [first, second] = [written(t).slice(0, 20), written(t).slice(20)]
        return forgePaseto(t.keys.user, first, { footer: second + pasetoFooter(t.keys.user) })
      },
    ],
  ])

  it('is accepted if it is the one of the key', async () => {
    await expectAccepted(target(), 'user', forgePaseto(target().keys.user, written(target())))
  })
})

describe('the implicit assertion of a PASETO', () => {
  const target = underAttack()

  refusesForged(
    target,
    ASSERTIONS.map(
      (implicit): Attack => [
        `a token that our key signed with the implicit assertion ${JSON.stringify(implicit)}`,
        (t) => forgePaseto(t.keys.user, written(t), { implicit }),
      ],
    ),
  )

  refusesForged(target, [
    [
      'a token whose footer was signed as an implicit assertion',
      (t) => {
        const footer = pasetoFooter(t.keys.user)
        const signed = forgePaseto(t.keys.user, written(t), { footer: '', implicit: footer })
        return `${signed}.${base64url(footer)}`
      },
    ],
  ])
})
