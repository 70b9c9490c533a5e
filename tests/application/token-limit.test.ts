import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { tokenLimit } from '../../application/throttling/token-limit.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settableClock } from './fakes.ts'
import { CONTEXT, FULL, NOW, newWorld } from './world.ts'

const given = (tokensPerMinute: number, countedAtMost?: number) => {
  const clock = settableClock(NOW)
  const limit = tokenLimit({
    clock: clock.read,
    tokensPerMinute,
    ...(countedAtMost !== undefined && { countedAtMost }),
  })
  /** Returns the seconds to wait, or 0 if the token may be issued. */
  const issue = (id = 'shop'): number => {
    const counted = limit.count(id)
    return isLeft(counted) ? counted.left.retryAfterSeconds : 0
  }
  return { issue, clock, limit }
}

describe('the limit of tokens a minute', () => {
  it('refuses further tokens until the minute is over', () => {
    const { issue, clock } = given(2)
    expect([issue(), issue(), issue()]).to.deep.equal([0, 0, 60])
    clock.passSeconds(59.5)
    expect(issue()).to.equal(1)
    clock.passSeconds(0.5)
    expect([issue(), issue(), issue()]).to.deep.equal([0, 0, 60])
  })

  it('counts each application on its own', () => {
    const { issue } = given(1)
    expect([issue('shop'), issue('blog'), issue('shop'), issue('blog')]).to.deep.equal([0, 0, 60, 60])
  })

  it('does not count a token that was not issued', () => {
    const { issue, limit } = given(1)
    for (let each = 0; each < 5; each += 1) {
      expect(issue()).to.equal(0)
      limit.refund('shop')
    }
    expect([issue(), issue()]).to.deep.equal([0, 60])
  })

  it('does not exist at 0', () => {
    const { issue, limit } = given(0)
    for (let each = 0; each < 10_000; each += 1) expect(issue()).to.equal(0)
    expect(limit.refund('shop')).to.equal(undefined)
  })

  it('forgets the oldest minutes if too many applications get tokens', () => {
    const { issue } = given(1, 2)
    expect(['a', 'b', 'c'].map(issue)).to.deep.equal([0, 0, 0])
    expect(issue('c'), 'still counted').to.equal(60)
    expect(issue('b'), 'still counted').to.equal(60)
    expect(issue('a'), 'forgotten').to.equal(0)
  })

  it('forgets the minute that began first, also if the application got tokens in an earlier one', () => {
    const { issue, clock } = given(1, 2)
    issue('a')
    clock.passSeconds(30)
    issue('b')
    clock.passSeconds(30)
    issue('a')
    expect(['c', 'a', 'b'].map(issue)).to.deep.equal([0, 60, 0])
  })

  it('forgets minutes that are over first', () => {
    const { issue, clock } = given(1, 3)
    issue('a')
    clock.passSeconds(30)
    issue('b')
    clock.passSeconds(30)
    issue('a')
    expect(['c', 'b', 'a'].map(issue)).to.deep.equal([0, 30, 60])
  })
})

describe('issueApplicationToken, given a limit of two tokens a minute', () => {
  const limited = () => newWorld({ environment: { THROTTLE_APPLICATION_TOKENS: '3' } }) // the world takes the first one

  it('when the limit is reached, then a token is refused, and that is noted', async () => {
    const { service, shop, settledEvents, clock } = await limited()
    const issue = () => service.issueApplicationToken(CONTEXT, shop)
    await succeed(issue())
    await succeed(issue())
    clock.passSeconds(20)
    expect(await fail(issue())).to.deep.equal({ _tag: 'TooManyTokens', retryAfterSeconds: 40 })
    const about = { kind: 'application', id: shop.application.id } as const
    expect((await settledEvents()).at(-1)).to.deep.equal({
      type: 'ApplicationTokenRefused',
      subject: about,
      actor: about,
      data: { reason: 'too_many_tokens' },
    })
    clock.passSeconds(40)
    await succeed(issue())
  })

  it('when a token cannot be written, or its scope is not held, then it does not count', async () => {
    const { service, shop, store } = await limited()
    const issue = (scope?: string) => service.issueApplicationToken(CONTEXT, { ...shop, scope })
    store.readOnly = true
    for (let each = 0; each < 5; each += 1) expect(await fail(issue())).to.deep.equal(FULL)
    store.readOnly = false
    for (let each = 0; each < 5; each += 1)
      expect(await fail(issue('tokens:introspect'))).to.deep.equal({ _tag: 'ScopeNotHeld' })
    await succeed(issue())
    await succeed(issue())
    expect((await fail(issue()))._tag).to.equal('TooManyTokens')
  })

  it('when keys are wrong, then it does not count for the application', async () => {
    const { service, shop } = await limited()
    const wrong = { ...shop, privateApiKey: 'sk_x' }
    for (let each = 0; each < 5; each += 1)
      expect((await fail(service.issueApplicationToken(CONTEXT, wrong)))._tag).to.equal('InvalidClient')
    await succeed(service.issueApplicationToken(CONTEXT, shop))
    await succeed(service.issueApplicationToken(CONTEXT, shop))
  })
})
