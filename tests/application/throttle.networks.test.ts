import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { callerFailed, throttle } from '../../application/throttling/throttle.ts'
import type { SignInRequest } from '../../domain/sign-in.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settableClock } from './fakes.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const LIMIT = { THROTTLE_ADDRESS_FAILURES: '3' }
const QUARTER_HOUR = 900
const throttledFor = (retryAfterSeconds: number) => ({ _tag: 'Throttled', retryAfterSeconds })

describe('signIn for an end user, given that three failures from one network are the limit', () => {
  const from = async () => {
    const world = await newWorld({ environment: LIMIT })
    let strangers = 0
    /** Fails for another account each time, so that only the network can reach its limit. */
    const failFrom = async (endUserAddress: string | undefined, request: Partial<SignInRequest> = {}) => {
      strangers += 1
      const stranger = { email: `stranger-${strangers}@example.com`, password: 'wrong', ...request }
      const context = endUserAddress === undefined ? CONTEXT : { ...CONTEXT, endUserAddress }
      return (await fail(world.service.signIn(context, world.caller, stranger)))._tag
    }
    const failTimes = async (times: number, request?: Partial<SignInRequest>) => {
      for (let each = 0; each < times; each += 1) expect(await failFrom(HERE, request)).to.equal('Invalid')
    }
    const owner = (as = world.caller) =>
      world.service.signIn({ ...CONTEXT, endUserAddress: HERE }, as, { email: ADA, password: 'old' })
    return { ...world, failFrom, failTimes, owner }
  }
  const HERE = '192.0.2.1'

  it('when three failed, then everyone there has to wait, but neither other networks nor applications', async () => {
    const { failFrom, failTimes, owner, caller } = await from()
    await failTimes(3)
    expect(await fail(owner())).to.deep.equal({ ...throttledFor(30), tooMany: 'recoveries_from_network' })
    expect(await failFrom('192.0.2.2')).to.equal('Invalid')
    expect(await failFrom(undefined)).to.equal('Invalid')
    await succeed(owner({ ...caller, application: { ...caller.application, id: 'another' } }))
  })

  it('when others succeed, then they neither count nor reset the count', async () => {
    const { failFrom, failTimes, owner } = await from()
    for (let each = 0; each < 5; each += 1) await succeed(owner())
    await failTimes(2)
    await succeed(owner())
    await failTimes(1)
    expect(await failFrom(HERE)).to.equal('Throttled')
  })

  it('when a quarter of an hour is over, then they are forgotten', async () => {
    const { failTimes, clock } = await from()
    await failTimes(2)
    clock.passSeconds(QUARTER_HOUR)
    await failTimes(3)
  })

  it('when e-mails are malformed, then they count; when a field is missing, they do not', async () => {
    const { failFrom, failTimes } = await from()
    await failTimes(5, { password: '' })
    await failTimes(3, { email: 'ada' })
    expect(await failFrom(HERE)).to.equal('Throttled')
  })
})

describe('a caller whose own keys or token fail, given that two failures are the limit', () => {
  const counted = () => {
    const clock = settableClock(NOW)
    const limits = {
      accountFailures: 1,
      addressFailures: 2,
      recoveriesPerHour: 1,
      registrationsPerHour: 1,
      mailsPerHour: 600,
      vouchedPerHour: 1,
      signInsPerMinute: 1,
    }
    const counts = memoryFailureCounts(clock.read)
    const failed = callerFailed(throttle({ counts, clock: clock.read, digests: nodeDigests, limits }))
    const from = async (address: string | undefined) => {
      const told = await failed('failed', { address: () => address })
      return isRight(told) ? undefined : told.left
    }
    return { from, clock, counts }
  }

  it('is throttled after two failures from one network, and no other network is', async () => {
    const { from } = counted()
    expect(await from('192.0.2.1')).to.equal('failed')
    expect(await from('192.0.2.1')).to.equal('failed')
    expect(await from('192.0.2.1')).to.deep.equal(throttledFor(30))
    expect(await from('192.0.2.2')).to.equal('failed')
  })

  it('is not throttled if the first failure was a quarter of an hour ago', async () => {
    const { from, clock } = counted()
    expect(await from('192.0.2.1')).to.equal('failed')
    clock.passSeconds(QUARTER_HOUR)
    for (let each = 0; each < 2; each += 1) expect(await from('192.0.2.1')).to.equal('failed')
  })

  it('gets only the failure when its network is unknown', async () => {
    const { from } = counted()
    for (let each = 0; each < 5; each += 1) expect(await from(undefined)).to.equal('failed')
  })

  it('gets only the failure when failures cannot be counted', async () => {
    const { from, counts } = counted()
    await counts.close()
    for (let each = 0; each < 5; each += 1) expect(await from('192.0.2.1')).to.equal('failed')
  })
})

describe('keys and tokens from one network, given that three failures are the limit', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: LIMIT })
  })

  const context = { ...CONTEXT, address: () => '192.0.2.1' }
  const issue = (keys: Readonly<{ publicApiKey?: string; privateApiKey?: string }> = {}) =>
    world.service.issueApplicationToken(context, { ...world.shop, ...keys })
  const use = (token: string) => world.service.authenticate(context, 'getProfile', token)
  const tags = async (times: number, attempt: () => TaskEither<Readonly<{ _tag: string }>, unknown>) => {
    const all: Array<string> = []
    for (let each = 0; each < times; each += 1) all.push((await fail(attempt()))._tag)
    return all
  }

  const WRONG_KEYS: ReadonlyArray<readonly [what: string, keys: () => Parameters<typeof issue>[0]]> = [
    ['a malformed public key', () => ({ publicApiKey: 'pk_x' })],
    ['a malformed private key', () => ({ privateApiKey: 'sk_x' })],
    ['an unknown public key', () => ({ publicApiKey: 'pk_018f2a3b-4c5d-7e6f-8a9b-0c1d2e3f4a5b' })],
    [
      'a wrong private key',
      () => ({ privateApiKey: 'sk_00000000000000000000000000000000000000000002CZclj' }),
    ],
  ]
  for (const [what, keys] of WRONG_KEYS) {
    it(`count ${what}, and never delay the right keys`, async () => {
      for (const tag of ['InvalidClient', 'InvalidClient', 'InvalidClient', 'Throttled', 'Throttled']) {
        expect((await fail(issue(keys())))._tag).to.equal(tag)
        await succeed(issue())
      }
    })
  }

  it('count the keys of a revoked application, but no missing ones', async () => {
    expect(new Set(await tags(5, () => issue({ privateApiKey: '' })))).to.deep.equal(new Set(['Invalid']))
    await succeed(world.service.revokeApplication(CONTEXT, world.shop.application.id))
    expect((await tags(4, issue)).at(-1)).to.equal('Throttled')
  })

  const altered = (token: string): string => {
    const at = Math.floor(token.length / 2)
    return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  }
  const unsigned = (jwt: string): string =>
    [Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url'), jwt.split('.')[1], ''].join('.')
  const ofShop = async () => (await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))).token
  const ofAda = async () => (await world.signIn()).token

  const FORGED: ReadonlyArray<readonly [what: string, token: () => Promise<string>]> = [
    ['rubbish', async () => 'rubbish'],
    ['the form of a JWT', async () => 'a.b.c'],
    ['the form of a PASETO', async () => 'v4.public.AAAA'],
    ['an unsigned JWT', async () => unsigned(await ofShop())],
    ['an altered JWT', async () => altered(await ofShop())],
    ['an altered PASETO', async () => altered(await ofAda())],
  ]
  for (const [what, token] of FORGED) {
    it(`count ${what}, and never delay a valid token`, async () => {
      const [forged, valid] = [await token(), await ofAda()]
      for (const tag of ['InvalidToken', 'InvalidToken', 'InvalidToken', 'Throttled']) {
        expect((await fail(use(forged)))._tag).to.equal(tag)
        await succeed(use(valid))
      }
    })
  }

  const leaked = async (token: string): Promise<string> => {
    await succeed(world.service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true }))
    world.clock.passSeconds(2)
    return token
  }
  const ended = async (token: string, end: () => Promise<unknown>): Promise<string> => {
    await end()
    return token
  }
  // A client with an expired or revoked token must learn that it needs a new one, even from a blocked network.
  const INACTIVE: ReadonlyArray<readonly [what: string, token: () => Promise<string>]> = [
    ['an expired JWT', async () => ended(await ofShop(), async () => world.clock.passSeconds(3_605))],
    ['an expired PASETO', async () => ended(await ofAda(), async () => world.clock.passSeconds(43_205))],
    [
      'a token of a revoked application',
      async () =>
        ended(await ofShop(), () =>
          succeed(world.service.revokeApplication(CONTEXT, world.shop.application.id)),
        ),
    ],
    [
      'a token that was signed out',
      async () => {
        const { token, caller } = await world.signIn()
        return ended(token, () => succeed(world.service.signOut(CONTEXT, caller)))
      },
    ],
    ['a JWT of a leaked key', async () => leaked(await ofShop())],
    ['a PASETO of a leaked key', async () => leaked(await ofAda())],
    // A JWT’s key id is in its header and a PASETO’s in its footer. The other parts may be anything.
    [
      'a JWT that only names a leaked key',
      async () => `${(await leaked(await ofShop())).split('.')[0]}.e30.AAAA`,
    ],
    [
      'a PASETO that only names a leaked key',
      async () => `v4.public.AAAA.${(await leaked(await ofAda())).split('.')[3]}`,
    ],
  ]
  for (const [what, token] of INACTIVE) {
    it(`neither count nor delay ${what}`, async () => {
      const inactive = await token()
      const all = Array(5).fill('InvalidToken')
      expect(await tags(5, () => use(inactive))).to.deep.equal(all)
      expect((await tags(4, () => use('rubbish'))).at(-1)).to.equal('Throttled')
      expect(await tags(5, () => use(inactive))).to.deep.equal(all)
    })
  }

  it('do not count a token of the wrong kind', async () => {
    const token = await ofShop()
    expect(new Set(await tags(5, () => use(token)))).to.deep.equal(new Set(['InsufficientScope']))
  })
})
