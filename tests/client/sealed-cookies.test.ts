import { expect } from 'chai'
import * as fc from 'fast-check'
import { portcullis, type SealingSecrets } from '../../adapters/client/client.ts'
import { systemTime } from '../../adapters/client/time.ts'
import { partsOf } from './cookie-world.ts'
import { thrownBy } from './thrown-by.ts'

const time = { now: Date.parse('2026-11-20T12:00:00Z') }

const cookiesWith = (privateApiKey: string) =>
  portcullis(
    { url: 'http://127.0.0.1:1', publicApiKey: 'pk_shop', privateApiKey },
    { ...systemTime, now: () => time.now },
  ).cookies

describe('the secrets of cookies', () => {
  for (const [what, secrets] of [
    ['none', []],
    ['a short one', ['x'.repeat(31)]],
    ['a short older one', ['x'.repeat(32), '']],
    ['a text', 'x'.repeat(32)],
    ['six', Array(6).fill('x'.repeat(32))],
  ] as const)
    it(`are refused if they are ${what}`, () => {
      const settings = { url: 'http://127.0.0.1:1', publicApiKey: 'pk_shop', privateApiKey: 'sk_shop' }
      expect(() => portcullis({ ...settings, cookieSecrets: secrets as unknown as SealingSecrets })).to.throw(
        TypeError,
        'cookieSecrets must be 1 to 5 texts of at least 32 characters, the newest first.',
      )
    })
})

describe('a secret in a cookie', () => {
  const cookies = cookiesWith('sk_shop')
  const sent = async (text: string, seconds = 300): Promise<string> =>
    (await cookies.seal('waiting', text, seconds)).split(';')[0] ?? ''

  it('is read where it was sealed, by the name that it was sealed for', async () => {
    for (const text of ['', 'token', ' two  words ', '{"a":"ä🛒"}', '0 1 2'])
      expect(await cookies.open('waiting', `a=b; ${await sent(text)}; c=d`)).to.equal(text)
    const line = await cookies.seal('waiting', 'token', 300)
    expect(partsOf(line)).to.include({ name: '__Host-waiting', age: 300 })
    expect(cookies.clear('waiting')).to.equal(
      '__Host-waiting=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0',
    )
  })

  it('is none under another name, with another key, and after its time', async () => {
    const header = await sent('token')
    expect(await cookies.open('waiting', header)).to.equal('token')
    expect(await cookies.open('enrolment', header.replace('waiting', 'enrolment')), 'moved').to.equal(
      undefined,
    )
    expect(await cookies.read(header.replace('waiting', 'session'))).to.include({ token: '' })
    expect(await cookiesWith('sk_other').open('waiting', header), 'another key').to.equal(undefined)
    time.now += 300_000
    expect(await cookies.open('waiting', header), 'over').to.equal(undefined)
  })

  it('has a name of its own, a lifetime, and room in a browser', async () => {
    for (const name of [
      'session',
      '',
      'a b',
      'a=b',
      'a;b',
      'start.google.x',
      'ä',
      'a\r\nb',
      'n'.repeat(65),
    ]) {
      expect(await thrownBy(cookies.seal(name, 'text', 1)), name).to.be.instanceOf(TypeError)
      expect(await thrownBy(cookies.open(name, '')), name).to.be.instanceOf(TypeError)
    }
    for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await thrownBy(cookies.seal('waiting', 'text', seconds)), String(seconds)).to.be.instanceOf(
        TypeError,
      )
    expect(await sent('x'.repeat(2900))).to.be.a('string')
    const tooLong = await thrownBy(cookies.seal('waiting', 'x'.repeat(3000), 1))
    expect(tooLong)
      .to.have.property('message')
      .which.matches(/^The cookie waiting would have 4\d+ bytes/)
  })

  it('never opens if a character was changed, cut off or added', async () => {
    const header = await sent('token')
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ %"'.split('')
    const start = '__Host-waiting='.length
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: start, max: header.length }),
        fc.nat({ max: 3 }),
        fc.array(fc.constantFrom(...characters), { maxLength: 4 }),
        async (at, removed, added) => {
          const changed = header.slice(0, at) + added.join('') + header.slice(at + removed)
          fc.pre(changed.trimEnd() !== header)
          expect(await cookies.open('waiting', changed)).to.equal(undefined)
        },
      ),
    )
  })

  it('is none in any other header, which never makes an error', async () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.string({ maxLength: 6000 }))
    const pair = fc
      .tuple(fc.constantFrom('__Host-waiting', '__Host-session', '__Host-start.google.x', 'theme'), value)
      .map((parts) => parts.join('='))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          value,
          fc.array(pair).map((pairs) => pairs.join('; ')),
        ),
        async (header) => {
          expect(await cookies.open('waiting', header)).to.equal(undefined)
          expect(await cookies.read(header)).to.deep.include({ token: '', setCookies: [] })
        },
      ),
    )
  })
})
