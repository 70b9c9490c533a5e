import { succeed } from '../../support/outcome.ts'
import { CONTEXT } from '../../support/request-context.ts'
import { type Attack, expectAccepted, expectRefused, refuses, underAttack } from '../target.ts'
import { KINDS, wellSigned } from '../well-signed.ts'

/** The issuer is `http://service.test` in these tests. Each of these differs from it, some only slightly. */
const ISSUERS: ReadonlyArray<readonly [what: string, iss: (ours: string) => unknown]> = [
  ['of another service', () => 'https://attacker.example'],
  ['that is empty', () => ''],
  ['with a trailing slash', (ours) => `${ours}/`],
  ['with a path', (ours) => `${ours}/api`],
  ['in capitals', (ours) => ours.toUpperCase()],
  ['with its host in capitals', (ours) => ours.replace('service', 'SERVICE')],
  ['of another scheme', (ours) => ours.replace('http:', 'https:')],
  ['with an explicit port', (ours) => `${ours}:80`],
  ['with a prefix', (ours) => `x${ours}`],
  ['with a suffix', (ours) => `${ours}.attacker.example`],
  ['with a user before its host', (ours) => ours.replace('//', '//user@')],
  ['with a trailing space', (ours) => `${ours} `],
  ['with a trailing zero byte', (ours) => `${ours}\0`],
  ['cut short', (ours) => ours.slice(0, -1)],
  ['with a letter of another alphabet', (ours) => ours.replace('e', '\u0435')],
  ['with full-width letters', (ours) => ours.replace('s', '\uff53')],
  ['percent-encoded', (ours) => ours.replace('service', '%73ervice')],
  ['in a list', (ours) => [ours]],
  ['in a list of several', (ours) => ['https://attacker.example', ours]],
  ['in an object', (ours) => ({ value: ours })],
  ['of null', () => null],
]

describe('RFC 8725 §3.8 Validate Issuer and Subject (against §2.7, §2.8): the issuer', () => {
  const target = underAttack()

  for (const { kind, name, signed } of KINDS) {
    refuses(
      target,
      ISSUERS.map(
        ([what, iss]): Attack => [
          `${name} with an issuer ${what}`,
          signed((t) => ({ iss: iss(t.application.claims.iss) })),
        ],
      ),
    )

    it(`accepts ${name} of the service itself`, async () => {
      await expectAccepted(target(), kind, signed(() => ({ iss: 'http://service.test' }))(target()))
    })
  }
})

/** Unknown subjects, and strings that would break a lookup by string concatenation. */
const SUBJECTS: ReadonlyArray<readonly [what: string, sub: string]> = [
  ['that is empty', ''],
  ['that never existed', '00000000-0000-7000-8000-000000000000'],
  ['that matches all in SQL', "' OR '1'='1"],
  ['that ends a statement', "'; DROP TABLE users; --"],
  ['of wildcards', '%'],
  ['of an LDAP filter', '*)(objectClass=*'],
  ['of a document store filter', '{"$ne":null}'],
  ['that is a path', '../../etc/passwd'],
  ['that is __proto__', '__proto__'],
  ['that is constructor', 'constructor'],
  ['of a zero byte', '\0'],
  ['of half a character', '\ud800'],
  ['of a million letters', 'x'.repeat(1_000_000)],
]

describe('RFC 8725 §3.8 Validate Issuer and Subject (against §2.7): the subject', () => {
  const target = underAttack()

  for (const { name, signed } of KINDS) {
    refuses(
      target,
      SUBJECTS.map(
        ([what, sub]): Attack => [`${name} with a subject ${what}`, signed(() => ({ sub, client_id: sub }))],
      ),
    )
    refuses(
      target,
      [' ', '\0', '\u200b'].map(
        (more): Attack => [
          `${name} whose subject ends in ${JSON.stringify(more)}`,
          signed((t) => {
            const sub = t[name === 'a user token' ? 'user' : 'application'].claims.sub + more
            return { sub, client_id: sub }
          }),
        ],
      ),
    )
  }

  const { application, user } = wellSigned
  refuses(target, [
    ['a user token with an empty session id', user(() => ({ sid: '' }))],
    ['a user token with an unknown session id', user(() => ({ sid: 'none' }))],
    ['a user token with a session id that matches all in SQL', user(() => ({ sid: "' OR '1'='1" }))],
    ["a user token with the user's id for a session", user((t) => ({ sid: t.user.claims.sub }))],
    ['a token of another user in a session of this user', user(() => ({ sub: 'eve' }))],
    ['a user token of the application', user((t) => ({ sub: t.application.claims.sub }))],
    ['a user token whose session id lacks a letter', user((t) => ({ sid: t.user.claims.sid.slice(0, -1) }))],
    ['a user token whose session id is in capitals', user((t) => ({ sid: t.user.claims.sid.toUpperCase() }))],
    [
      'an application token of the user',
      application((t) => ({ sub: t.user.claims.sub, client_id: t.user.claims.sub })),
    ],
    [
      'an application token for a session id',
      application((t) => ({ sub: t.user.claims.sid, client_id: t.user.claims.sid })),
    ],
    [
      'an application token for a public API key',
      application(({ running }) => ({
        sub: running.keys.public_api_key,
        client_id: running.keys.public_api_key,
      })),
    ],
  ])
})

describe('RFC 8725 §3.8 Validate Issuer and Subject (against §2.7): a removed subject', () => {
  const target = underAttack()

  it('invalidates its tokens: a user', async () => {
    const { running, user } = target()
    await expectAccepted(target(), 'user', user.token)
    await succeed(running.service.removeUser(CONTEXT, running.user.email))
    await expectRefused(target(), user.token)
  })

  it('invalidates its tokens: an application', async () => {
    const { running, application } = target()
    await expectAccepted(target(), 'application', application.token)
    await succeed(running.service.revokeApplication(CONTEXT, application.claims.sub))
    await expectRefused(target(), application.token)
  })
})
