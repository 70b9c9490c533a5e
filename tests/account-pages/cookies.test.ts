import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { readCookie } from '../../adapters/http/pages/cookies.ts'

const SESSION = '__Host-portcullis'

const read = (cookie: string) => readCookie({ headers: { cookie } } as IncomingMessage, 'session')

describe('the cookies of a request', () => {
  for (const [cookie, value] of [
    [`${SESSION}=a`, 'a'],
    [`other=b; ${SESSION}=a`, 'a'],
    [`other=b;\t ${SESSION}=a;other=c`, 'a'],
    [`${SESSION}=a; ${SESSION}=b`, undefined],
    [`x${SESSION}=a`, undefined],
    ['', undefined],
  ] as const)
    it(`have ${value} as that of the session in ${JSON.stringify(cookie)}`, () => {
      expect(read(cookie)).to.equal(value)
    })

  it('are read once from start to end: many blanks cost no more than other characters', () => {
    const blanks = ' '.repeat(300_000) // the work of a second look from each blank would end this test
    expect(read(`x${blanks}x; ${SESSION}=a`)).to.equal('a')
  })
})
