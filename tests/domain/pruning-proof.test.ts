import { expect } from 'chai'
import { isNone, none, some } from 'fp-ts/lib/Option.js'
import { checkpointText, parseCheckpoint } from '../../domain/checkpoint.ts'
import { originOfProof, type PruningProof, parseProof, proofText } from '../../domain/pruning-proof.ts'
import { withoutIo } from './no-io.ts'

const checkpoint = {
  origin: 'id.example.com/api/v1/log/3fa81c02',
  size: 9,
  root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
}
const PROOF: PruningProof = {
  checkpoint,
  removed: [
    [3, 5],
    [7, 7],
  ],
}

describe('the proof of a pruning', () => {
  withoutIo()

  it('names the log and exactly the removed positions', () => {
    expect(proofText(PROOF)).to.equal(
      `Entries pruned from this log:\n${checkpoint.origin}\n9\n${checkpoint.root}\n2 3 1 1\n`,
    )
    expect(parseProof(proofText(PROOF))).to.deep.equal(some(PROOF))
    expect(originOfProof(proofText(PROOF))).to.equal(checkpoint.origin)
  })

  it('is no checkpoint, and a checkpoint is no proof', () => {
    expect(isNone(parseCheckpoint(proofText(PROOF)))).to.equal(true)
    expect(parseProof(checkpointText(checkpoint))).to.deep.equal(none)
    expect(parseProof(`${checkpointText(checkpoint)}2 3\n`)).to.deep.equal(none)
  })

  for (const [what, text] of Object.entries({
    nothing: '',
    'another title': proofText(PROOF).replace('Entries', 'entries'),
    'a line more': `${proofText(PROOF)}9 9\n`,
    'no line feed at its end': proofText(PROOF).trimEnd(),
    'no positions': proofText(PROOF).replace('2 3 1 1\n', '\n'),
    'positions in another spelling': proofText(PROOF).replace('2 3 1 1', '02 3 1 1'),
    'a size that is no number': proofText(PROOF).replace('\n9\n', '\nnine\n'),
  }))
    it(`is not read from ${what}`, () => {
      expect(parseProof(text)).to.deep.equal(none)
    })
})
