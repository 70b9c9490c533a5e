import { expect } from 'chai'
import { isNone, some } from 'fp-ts/lib/Option.js'
import {
  checkpointText,
  epochOf,
  originOf,
  originPrefixOf,
  parseCheckpoint,
} from '../../domain/checkpoint.ts'

const ROOT = `${'A'.repeat(43)}=`

describe('the origin of a log', () => {
  for (const [publicUrl, origin] of [
    ['https://id.example.com', 'id.example.com/api/v1/log/0a1b2c3d'],
    ['http://127.0.0.1:8080/auth', '127.0.0.1:8080/auth/api/v1/log/0a1b2c3d'],
    ['http://[::1]:8080', '[::1]:8080/api/v1/log/0a1b2c3d'],
    ['https://a+b.example', 'a%2Bb.example/api/v1/log/0a1b2c3d'],
  ] as const)
    it(`of ${publicUrl} is ${origin}, and contains the epoch`, () => {
      expect(originOf(originPrefixOf(publicUrl), '0a1b2c3d')).to.equal(origin)
      expect(epochOf(origin)).to.equal('0a1b2c3d')
    })

  it('of another service contains no epoch', () => {
    expect(epochOf('example.com/log')).to.equal('')
  })
})

describe('the text of a checkpoint', () => {
  const checkpoint = { origin: 'id.example.com/api/v1/log/0a1b2c3d', size: 70_000, root: ROOT }

  it('is read back', () => {
    expect(parseCheckpoint(checkpointText(checkpoint))).to.deep.equal(some(checkpoint))
    expect(parseCheckpoint(checkpointText({ ...checkpoint, size: 0 }))).to.deep.equal(
      some({ ...checkpoint, size: 0 }),
    )
  })

  it('may have extension lines, which are ignored', () => {
    expect(parseCheckpoint(`${checkpointText(checkpoint)}extension\n`)).to.deep.equal(some(checkpoint))
  })

  for (const [what, text] of [
    ['without an origin', `\n1\n${ROOT}\n`],
    ['with a space in its origin', `a b\n1\n${ROOT}\n`],
    ['with a leading zero', `a\n01\n${ROOT}\n`],
    ['with a negative size', `a\n-1\n${ROOT}\n`],
    ['with a short root', `a\n1\n${'A'.repeat(42)}=\n`],
    ['without a line feed at its end', `a\n1\n${ROOT}`],
    ['with an empty extension line', `a\n1\n${ROOT}\n\n`],
  ] as const)
    it(`is refused ${what}`, () => {
      expect(isNone(parseCheckpoint(text))).to.equal(true)
    })
})
