import { type Attack, expectAccepted, refuses, underAttack } from '../target.ts'
import { wellSigned } from '../well-signed.ts'

/**
 * An application token is for the service that issued it. RFC 7519 lets an audience be a list; ours is one text, for a token
 * that is for others as well is none that we made.
 */
const AUDIENCES: ReadonlyArray<readonly [what: string, aud: (ours: string) => unknown]> = [
  ['that there is none of', () => undefined],
  ['of somebody else', () => 'https://attacker.example'],
  ['that is empty', () => ''],
  ['that is anybody', () => '*'],
  ['with a slash more', (ours) => `${ours}/`],
  ['with a path', (ours) => `${ours}/api/v1`],
  ['in capitals', (ours) => ours.toUpperCase()],
  ['with its host in capitals', (ours) => ours.replace('service', 'SERVICE')],
  ['of another scheme', (ours) => ours.replace('http:', 'https:')],
  ['with its port named', (ours) => `${ours}:80`],
  ['with something behind it', (ours) => `${ours}.attacker.example`],
  ['with somebody else behind a space', (ours) => `${ours} https://attacker.example`],
  ['with a zero byte behind it', (ours) => `${ours}\0`],
  ['cut short', (ours) => ours.slice(0, -1)],
  ['that is a part of it', (ours) => ours.replace('http://', '')],
  ['with a letter of another alphabet', (ours) => ours.replace('e', '\u0435')],
  ['in a list', (ours) => [ours]],
  ['in a list of several', (ours) => ['https://attacker.example', ours]],
  ['in a list in a list', (ours) => [[ours]]],
  ['in a list that is empty', () => []],
  ['in an object', (ours) => ({ aud: ours })],
  ['of null', () => null],
  ['of true', () => true],
  ['of a number', () => 0],
]

describe('RFC 8725 §3.9 Use and Validate Audience (against §2.7, §2.8)', () => {
  const target = underAttack()

  refuses(
    target,
    AUDIENCES.map(
      ([what, aud]): Attack => [
        `an application token with an audience ${what}`,
        wellSigned.application((t) => ({ aud: aud(t.application.claims.aud) })),
      ],
    ),
  )

  it('takes an application token for the service itself', async () => {
    const token = wellSigned.application(() => ({ aud: 'http://service.test' }))(target())
    await expectAccepted(target(), 'application', token)
  })
})
