import { expect } from 'chai'
import { jwtApplicationTokens } from '../../../adapters/driven/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/driven/paseto/user-tokens.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { fail, succeed } from '../../support/outcome.ts'
import { CONTEXT } from '../../support/request-context.ts'
import { base64url, forgeJwt, forgePaseto, jwtHeader } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  expectForged,
  expectRefused,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

/** What a key id becomes where it is pasted into a path, a statement, an address or a command, or looked up in an object. */
const KIDS: ReadonlyArray<readonly [what: string, kid: (ours: SigningKey, theirs: SigningKey) => unknown]> = [
  ['of nobody', () => 'another'],
  ['that is a path to a file of zeros', () => '../../../../../../dev/null'],
  ['that is a path in the other direction', () => '..\\..\\windows\\win.ini'],
  ['that is a path percent-encoded', () => '%2e%2e%2f%2e%2e%2fdev%2fnull'],
  ['that is a path of a process', () => '/proc/self/environ'],
  ['that selects a secret in SQL', () => "x' UNION SELECT 'secret' --"],
  ['that matches all in SQL', () => "' OR '1'='1"],
  ['that ends a statement', () => "'; DROP TABLE keys; --"],
  ['that is a command', () => '| cat /etc/passwd'],
  ['that is a substitution', () => '$(id)'],
  ['that is an address', () => 'https://attacker.example/jwks.json'],
  ['that is a file address', () => 'file:///etc/passwd'],
  ['that is data', () => 'data:application/json;base64,e30'],
  ['that every object has', () => '__proto__'],
  ['that every object inherits', () => 'constructor'],
  ['that is empty', () => ''],
  ['of a zero byte', () => '\0'],
  ['that is a format', () => '%s%n'],
  ['of 4,000 letters', () => 'x'.repeat(4_000)],
  ['of a million letters', () => 'x'.repeat(1_000_000)],
  ['that is null', () => null],
  ['that is a number', () => 0],
  ['that is true', () => true],
  ['that is a list', ({ kid }) => [kid]],
  ['that is an object', ({ kid }) => ({ kid })],
  ['that is left out', () => undefined],
  ['with a space behind it', ({ kid }) => `${kid} `],
  ['with a zero byte behind it', ({ kid }) => `${kid}\0`],
  ['in another case', ({ kid }) => kid.toLowerCase()],
  ['cut short', ({ kid }) => kid.slice(0, -1)],
  ['of the other kind of token', (_, theirs) => theirs.kid],
  ['that is the name of the record', ({ id }) => id],
  ['that is the first', () => '0'],
]

const KEY_IDS: ReadonlyArray<Attack> = KIDS.flatMap(
  ([what, kid]): ReadonlyArray<Attack> => [
    [
      `a header with a key id ${what}, though our key signed it`,
      (t) => {
        const { application, user } = t.keys
        const header = JSON.stringify({ ...jwtHeader(application), kid: kid(application, user) })
        return forgeJwt(application, claimsOf(t), header)
      },
    ],
    [
      `a footer with a key id ${what}, though our key signed it`,
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

  it('finds no key by its id alone: what the key of that id did not sign is refused', async () => {
    const t = target()
    const [header, payload] = t.application.token.split('.')
    await expectForged(t, `${header}.${payload}.${base64url(Buffer.alloc(64, 1))}`)
  })

  it('is of no use once its key is retired', async () => {
    const t = target()
    await expectAccepted(t, 'application', t.application.token)
    await expectAccepted(t, 'user', t.user.token)
    await succeed(t.running.service.rotateKeys(CONTEXT, { purposes: ['application', 'user'], atOnce: true }))
    t.setClock(1) // what one process rotates, all honour within a second
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
