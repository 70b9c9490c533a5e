import { expect } from 'chai'
import type { StrictAnswer } from '../support/strict-answers.ts'
import { expectHeaders, ISSUE, lines, type Talk, talk } from './transport-talk.ts'

export type JsonTalk = Talk &
  Readonly<{
    /**
     * The answer of a route that takes two fields, and no token.
     *
     * @param body one character a byte
     */
    send: (body: string) => Promise<StrictAnswer>
    /** The codes of the fields that a body does not have. */
    missingIn: (body: string) => Promise<ReadonlyArray<number>>
    /** Both fields as they should be, without braces. */
    known: () => string
  }>

/** A service for the tests of a `describe` about what a body holds. */
export const jsonTalk = (): JsonTalk => {
  const talking = talk()
  const send = (body: string) =>
    talking.answerTo(
      lines(
        `POST ${ISSUE} HTTP/1.1`,
        'Host: service.test',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    )
  return {
    ...talking,
    send,
    missingIn: async (body) => {
      const answer = await send(body)
      expectHeaders(answer)
      expect(answer.status, answer.body).to.equal(422)
      return JSON.parse(answer.body).errors.map(({ code }: { code: number }) => code)
    },
    known: () => JSON.stringify(talking.running().keys).slice(1, -1),
  }
}
