import { type Attack, expectAccepted, onUserJwts, refuses, underAttack } from '../target.ts'
import { wellSigned } from '../well-signed.ts'

/**
 * A JWT is for the service that issued it. RFC 7519 allows a list of audiences. The service writes one
 * string, so it did not issue a token with another audience.
 */
const AUDIENCES: ReadonlyArray<readonly [what: string, aud: (ours: string) => unknown]> = [
  ['that is missing', () => undefined],
  ['of another service', () => 'https://attacker.example'],
  ['that is empty', () => ''],
  ['that is a wildcard', () => '*'],
  ['with a trailing slash', (ours) => `${ours}/`],
  ['with a path', (ours) => `${ours}/api/v1`],
  ['in capitals', (ours) => ours.toUpperCase()],
  ['with its host in capitals', (ours) => ours.replace('service', 'SERVICE')],
  ['of another scheme', (ours) => ours.replace('http:', 'https:')],
  ['with an explicit port', (ours) => `${ours}:80`],
  ['with a suffix', (ours) => `${ours}.attacker.example`],
  ['with another service after a space', (ours) => `${ours} https://attacker.example`],
  ['with a trailing zero byte', (ours) => `${ours}\0`],
  ['cut short', (ours) => ours.slice(0, -1)],
  ['that is a part of the correct one', (ours) => ours.replace('http://', '')],
  ['with a letter of another alphabet', (ours) => ours.replace('e', '\u0435')],
  ['in a list', (ours) => [ours]],
  ['in a list of several', (ours) => ['https://attacker.example', ours]],
  ['in a nested list', (ours) => [[ours]]],
  ['that is an empty list', () => []],
  ['in an object', (ours) => ({ aud: ours })],
  ['of null', () => null],
  ['of true', () => true],
  ['that is a number', () => 0],
]

const FOR_OTHERS = AUDIENCES.map(
  ([what, aud]): Attack => [
    `a token with an audience ${what}`,
    wellSigned.application((t) => ({ aud: aud(t.application.claims.aud) })),
  ],
)

describe('RFC 8725 §3.9 Use and Validate Audience (against §2.7, §2.8)', () => {
  const target = underAttack()

  refuses(target, FOR_OTHERS)
  refuses(target, onUserJwts(FOR_OTHERS))

  it('accepts an application token for the service itself', async () => {
    const token = wellSigned.application(() => ({ aud: 'http://service.test' }))(target())
    await expectAccepted(target(), 'application', token)
  })
})
