import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { EventType } from '../../domain/event.ts'
import {
  askedWaitSeconds,
  type FeedRequest,
  feedSource,
  mayWait,
  sequenceOf,
  validateFeedRequest,
} from '../../domain/event-feed.ts'
import { parseLogCursor } from '../../domain/log-cursor.ts'
import { withoutIo } from './no-io.ts'

const isEventType = (text: string): text is EventType => text === 'UserSignedIn'

describe('validateFeedRequest', () => {
  withoutIo()

  const NOTHING: FeedRequest = { after: undefined, limit: undefined, type: undefined, wait: undefined }
  const DEFAULT = { after: undefined, limit: 100, type: undefined, waitSeconds: 0 }
  const RULES: ReadonlyArray<readonly [request: Partial<FeedRequest>, outcome: object]> = [
    [{}, right(DEFAULT)],
    [{ after: '', limit: '', type: '', wait: '' }, right(DEFAULT)],
    [{ after: '3fa81c02:7' }, right({ ...DEFAULT, after: { epoch: '3fa81c02', position: 7 } })],
    [{ after: '7' }, right({ ...DEFAULT, after: { epoch: undefined, position: 7 } })],
    [{ limit: '1' }, right({ ...DEFAULT, limit: 1 })],
    [{ limit: '500' }, right({ ...DEFAULT, limit: 500 })],
    [{ type: 'UserSignedIn' }, right({ ...DEFAULT, type: 'UserSignedIn' })],
    [{ wait: '0' }, right(DEFAULT)],
    [{ wait: '30' }, right({ ...DEFAULT, waitSeconds: 30 })],
    [{ after: 'x' }, left(['CursorMalformed'])],
    [{ after: '-1' }, left(['CursorMalformed'])],
    [{ after: '3FA81C02:7' }, left(['CursorMalformed'])],
    ...['0', '501', '-1', '1.5', '1e2', 'x', '99999999999999999999'].map(
      (limit) => [{ limit }, left(['LimitOutOfRange'])] as const,
    ),
    ...['31', '-1', '0.5', 'x', '1s'].map((wait) => [{ wait }, left(['WaitOutOfRange'])] as const),
    [{ type: 'SignedIn' }, left(['TypeUnknown'])],
    [{ type: '__proto__' }, left(['TypeUnknown'])],
    [
      { after: 'x', limit: 'x', type: 'x', wait: 'x' },
      left(['CursorMalformed', 'LimitOutOfRange', 'TypeUnknown', 'WaitOutOfRange']),
    ],
  ]
  for (const [request, outcome] of RULES) {
    it(`returns ${JSON.stringify(outcome)} for ${JSON.stringify(request)}`, () => {
      const validated = validateFeedRequest({ ...NOTHING, ...request }, isEventType)
      if (isRight(validated)) expect(validated).to.deep.equal(outcome)
      else expect({ ...validated, left: [...validated.left].sort() }).to.deep.equal(outcome)
    })
  }
})

describe('askedWaitSeconds', () => {
  withoutIo()

  for (const [wait, seconds] of [
    [undefined, 0],
    ['', 0],
    ['0', 0],
    ['30', 30],
    ['31', 0],
    ['-1', 0],
    ['x', 0],
  ] as const) {
    it(`is ${seconds} for ${JSON.stringify(wait)}`, () => {
      expect(askedWaitSeconds(wait)).to.equal(seconds)
    })
  }
})

describe('mayWait', () => {
  withoutIo()

  const RULES: ReadonlyArray<readonly [own: number, others: number, isAllowed: boolean]> = [
    [0, 0, true],
    [49, 0, true],
    [50, 0, false],
    [24, 50, true],
    [25, 50, false],
    [24, 51, false],
    [49, 25, false],
    [32, 33, true],
    [33, 33, false],
    [0, 98, true],
    [0, 99, false],
    [0, 100, false],
  ]
  for (const [own, others, isAllowed] of RULES)
    it(`${isAllowed ? 'gives' : 'refuses'} an application with ${own} places one more, beside ${others} of others`, () => {
      expect(mayWait({ own, others })).to.equal(isAllowed)
    })

  it('leaves room for others, however many requests one application sends', () => {
    const taken: Array<number> = []
    for (const _ of Array(8)) {
      const others = taken.reduce((sum, places) => sum + places, 0)
      let own = 0
      while (mayWait({ own, others })) own += 1
      taken.push(own)
    }
    expect(taken).to.deep.equal([50, 25, 12, 6, 3, 2, 1, 0])
  })
})

describe('feedSource', () => {
  withoutIo()

  for (const [publicUrl, source] of [
    ['https://auth.example.com', 'https://auth.example.com/api/v1/log/3fa81c02'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/api/v1/log/3fa81c02'],
    ['https://example.com/auth', 'https://example.com/auth/api/v1/log/3fa81c02'],
  ] as const) {
    it(`is ${source} for ${publicUrl}`, () => {
      expect(feedSource(publicUrl, '3fa81c02')).to.equal(source)
    })
  }
})

describe('sequenceOf', () => {
  withoutIo()

  it('sorts as text like the positions, and is part of a cursor', () => {
    const positions = [1, 2, 9, 10, 11, 99, 100, 12_345, 999_999_999_999_999]
    expect(positions.map(sequenceOf).sort()).to.deep.equal(positions.map(sequenceOf))
    for (const position of positions) {
      const cursor = parseLogCursor(`3fa81c02:${sequenceOf(position)}`)
      expect(isSome(cursor) && cursor.value.position).to.equal(position)
    }
  })
})
