import { expect } from 'chai'
import { closedSentence } from '../../adapters/cli/closed-store.ts'
import { unavailableText } from '../../adapters/cli/operations.ts'

/** Of a row that another program has written. */
const FORGED = 'b\nok     log          The log is complete'
const SHOWN = 'b\\nok     log          The log is complete'

describe('a sentence with a value of a row', () => {
  for (const [what, sentence] of [
    ['the place of a copy', closedSentence('a', { state: 'moved', copyId: '1', place: FORGED })],
    [
      'the origin of an incomplete copy',
      closedSentence('a', { state: 'incomplete', copyId: '1', place: FORGED }),
    ],
    ['the reason of an unavailable store', unavailableText({ reason: FORGED })],
  ] as const)
    it(`stays on one line: ${what}`, () => {
      expect(sentence.split('\n')).to.deep.equal([sentence])
      expect(sentence).to.contain(SHOWN)
    })
})
