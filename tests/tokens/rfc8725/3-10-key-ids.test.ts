import { expect } from 'chai'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { fail, succeed } from '../../support/outcome.ts'
import { CONTEXT } from '../../support/request-context.ts'
import { base64url, forgeJwt, forgePaseto, jwtHeader } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  expectForged,
  expectRefused,
  onUserJwts,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

/** Key ids that attack a path, a statement, an address, a command or an object lookup. */
const KIDS: ReadonlyArray<readonly [what: string, kid: (ours: SigningKey, theirs: SigningKey) => unknown]> = [
  ['of nobody', () => 'another'],
  ['that is a path to /dev/null', () => '../../../../../../dev/null'],
  ['that is a path with backslashes', () => '..\\..\\windows\\win.ini'],
  ['that is a path percent-encoded', () => '%2e%2e%2f%2e%2e%2fdev%2fnull'],
  ['that is a path in /proc', () => '/proc/self/environ'],
  ['that selects a secret in SQL', () => "x' UNION SELECT 'secret' --"],
  ['that matches all in SQL', () => "' OR '1'='1"],
  ['that ends a statement', () => "'; DROP TABLE keys; --"],
  ['that is a command', () => '| cat /etc/passwd'],
  ['that is a substitution', () => '$(id)'],
  ['that is a URL', () => 'https://attacker.example/jwks.json'],
  ['that is a file URL', () => 'file:///etc/passwd'],
  ['that is a data URL', () => 'data:application/json;base64,e30'],
  ['that is __proto__', () => '__proto__'],
  ['that is constructor', () => 'constructor'],
  ['that is empty', () => ''],
  ['of a zero byte', () => '\0'],
  ['that is a format string', () => '%s%n'],
  ['of 4,000 letters', () => 'x'.repeat(4_000)],
  ['of 100,000 letters', () => 'x'.repeat(100_000)],
  ['that is null', () => null],
  ['that is a number', () => 0],
  ['that is true', () => true],
  ['that is a list', ({ kid }) => [kid]],
  ['that is an object', ({ kid }) => ({ kid })],
  ['that is missing', () => undefined],
  ['with a trailing space', ({ kid }) => `${kid} `],
  ['with a trailing zero byte', ({ kid }) => `${kid}\0`],
  ['in another case', ({ kid }) => kid.toLowerCase()],
  ['cut short', ({ kid }) => kid.slice(0, -1)],
  ['of the other kind of token', (_, theirs) => theirs.kid],
  ['that is the record id', ({ id }) => id],
  ['that is an index', () => '0'],
]

const KEY_IDS: ReadonlyArray<Attack> = KIDS.flatMap(
  ([what, kid]): ReadonlyArray<Attack> => [
    [
      `a header signed by our key with a key id ${what}`,
      (t) => {
        const { application, user } = t.keys
        const header = JSON.stringify({ ...jwtHeader(application), kid: kid(application, user) })
        return forgeJwt(application, claimsOf(t), header)
      },
    ],
    [
      `a footer signed by our key with a key id ${what}`,
      (t) => {
        const { application, user } = t.keys
        const footer = JSON.stringify({ kid: kid(user, application) })
        return forgePaseto(user, JSON.stringify(writtenClaims(t)), { footer })
      },
    ],
  ],
)

describe('RFC 8725 §3.10 Do Not Trust Received Claims (against §2.9): the key id', () => {
  const target = underAttack()

  refusesForged(target, KEY_IDS)
  refusesForged(target, onUserJwts(KEY_IDS.filter(([what]) => what.startsWith('a header'))))

  it('selects a key, and the token must be signed by that key', async () => {
    const t = target()
    const [header, payload] = t.application.token.split('.')
    await expectForged(t, `${header}.${payload}.${base64url(Buffer.alloc(64, 1))}`)
  })

  it('is refused once its key is retired', async () => {
    const t = target()
    await expectAccepted(t, 'application', t.application.token)
    await expectAccepted(t, 'user', t.user.token)
    await succeed(t.running.service.rotateKeys(CONTEXT, { purposes: ['application', 'user'], atOnce: true }))
    t.setClock(1) // all processes apply a rotation within a second
    await expectRefused(t, t.application.token)
    await expectRefused(t, t.user.token)
    const retired = (await succeed(t.running.service.store.listSigningKeys())).filter((key) => key.retired)
    expect(retired).to.have.length(2)
    expect(await fail(jwtApplicationTokens().verify(t.application.token, retired))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    expect(await fail(pasetoUserTokens().verify(t.user.token, retired))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })
})
