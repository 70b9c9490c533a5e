import { expect } from 'chai'
import type { HttpResponse } from '../../adapters/http/operation/response.ts'
import { once } from '../../adapters/http/pages/once.ts'

const page = (status: number, data = ''): HttpResponse => ({
  status,
  content: { type: 'text/html; charset=utf-8', data },
})

/** Answers with what the test gives, and counts how often it was asked. */
const counting = () => {
  const time = { now: 0 }
  let made = 0
  const kept = once({ now: () => time.now, digest: (text) => text })
  const send = (form: string, response: Promise<HttpResponse> | HttpResponse = page(303)) =>
    kept.answer(form, async () => {
      made += 1
      return response
    })
  return { time, send, made: () => made }
}

describe('the answers that pages keep for a second click', () => {
  for (const [status, times] of [
    [200, 1],
    [303, 1],
    [422, 1],
    [403, 2],
    [429, 2],
    [503, 2],
  ] as const)
    it(`of two equal forms make ${times} with status ${status}`, async () => {
      const { send, made } = counting()
      const both = [await send('a', page(status)), await send('a', page(status))]
      expect([both.map((one) => one.status), made()]).to.deep.equal([[status, status], times])
    })

  it('last a minute', async () => {
    const { send, made, time } = counting()
    await send('a')
    time.now = 60_000
    await send('a')
    expect(made()).to.equal(1)
    time.now = 60_001
    await send('a')
    expect(made()).to.equal(2)
  })

  it('are made by one of all clicks that waited for a first one, which went away', async () => {
    const { send, made } = counting()
    let end = (_: HttpResponse): void => {}
    const first = send(
      'a',
      new Promise((resolve) => {
        end = resolve
      }),
    )
    const others = [send('a'), send('a'), send('a')]
    end(page(503))
    expect((await Promise.all([first, ...others])).map(({ status }) => status)).to.deep.equal([
      503, 303, 303, 303,
    ])
    expect(made()).to.equal(2)
  })

  it('are made again after one that threw', async () => {
    const { send, made } = counting()
    const thrown = send('a', Promise.reject(new Error('a fault'))).catch(() => 'thrown')
    expect([await thrown, (await send('a')).status, made()]).to.deep.equal(['thrown', 303, 2])
  })

  for (const [name, count, answer] of [
    ['at most 1,000', 1_000, page(303)],
    ['at most 8 MiB', 8, page(422, 'x'.repeat(1024 * 1024))],
  ] as const)
    it(`are ${name}: the oldest goes`, async () => {
      const { send, made } = counting()
      for (let index = 0; index <= count; index += 1) await send(`form ${index}`, answer)
      await send('form 1')
      expect(made(), 'the second is kept').to.equal(count + 1)
      await send('form 0')
      expect(made(), 'the first is not').to.equal(count + 2)
    })

  it('free their room when they go', async () => {
    const { send, made, time } = counting()
    const large = page(422, 'x'.repeat(5 * 1024 * 1024))
    await send('a', large)
    time.now = 60_001
    await send('b', large)
    await send('c')
    await send('b')
    expect(made()).to.equal(3)
  })
})
