import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { positionInLog, type Renewal } from '../../domain/log-cursor.ts'
import { withoutIo } from './no-io.ts'

/** The store ended the epoch itself, before it wrote on a copy. */
const byStore = (ended: string, size: number): Renewal => ({ ended, size, isByStore: true })
const byOperator = (ended: string, size: number): Renewal => ({ ended, size, isByStore: false })

describe('positionInLog', () => {
  withoutIo()

  const [A, B, C, NOW] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', '00000000']
  const other = (shared: number | undefined) => left({ _tag: 'OtherEpoch', epoch: NOW, shared })
  type Rule = readonly [renewals: ReadonlyArray<Renewal>, cursor: string, outcome: object]
  const RULES: Readonly<Record<string, ReadonlyArray<Rule>>> = {
    'after a renewal by the store, continues where both logs are the same': [
      [[byStore(A, 10)], `${A}:0`, right(0)],
      [[byStore(A, 10)], `${A}:9`, right(9)],
      [[byStore(A, 10)], `${A}:10`, right(10)],
    ],
    'refuses a position whose entry was lost, also if the log has that position again': [
      [[byStore(A, 10)], `${A}:11`, other(10)],
      [[byStore(A, 10), byStore(B, 20)], `${A}:15`, other(10)],
      [[byStore(A, 0)], `${A}:1`, other(0)],
    ],
    'follows a chain of renewals by the store': [
      [[byStore(A, 10), byStore(B, 20), byStore(C, 30)], `${A}:10`, right(10)],
      [[byStore(A, 10), byStore(B, 20), byStore(C, 30)], `${B}:5`, right(5)],
      [[byStore(A, 10), byStore(B, 20), byStore(C, 30)], `${B}:20`, right(20)],
      [[byStore(A, 10), byStore(B, 20), byStore(C, 30)], `${C}:31`, other(30)],
    ],
    'refuses a cursor before a renewal by an operator, because entries may have been written on the copy': [
      [[byOperator(A, 10)], `${A}:1`, other(1)],
      [[byOperator(A, 10)], `${A}:11`, other(10)],
      [[byStore(A, 10), byOperator(B, 20)], `${A}:5`, other(5)],
      [[byOperator(A, 10), byStore(B, 20)], `${A}:5`, other(5)],
      [[byStore(A, 10), byOperator(B, 20), byStore(C, 30)], `${A}:5`, other(5)],
    ],
    'continues after a renewal by an operator that came before the epoch of the cursor': [
      [[byOperator(A, 10), byStore(B, 20)], `${B}:5`, right(5)],
      [[byOperator(A, 10), byStore(B, 20)], `${B}:20`, right(20)],
    ],
    'refuses an epoch that the log never had': [
      [[], `${A}:0`, other(undefined)],
      [[byStore(A, 10)], `${B}:1`, other(undefined)],
    ],
    'with a repeated epoch, trusts only the first': [
      [[byStore(A, 10), byStore(B, 20), byStore(A, 30)], `${A}:10`, right(10)],
      [[byStore(A, 10), byStore(B, 20), byStore(A, 30)], `${A}:11`, other(10)],
    ],
  }
  for (const [title, rules] of Object.entries(RULES))
    it(title, () => {
      for (const [renewals, cursor, outcome] of rules) {
        const [epoch = '', position] = cursor.split(':')
        expect(
          positionInLog({ epoch: NOW, renewals }, { epoch, position: Number(position) }),
          `${cursor} after ${JSON.stringify(renewals)}`,
        ).to.deep.equal(outcome)
      }
    })
})
