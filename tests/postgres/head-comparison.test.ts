import { expect } from 'chai'
import type { Connections } from '../../adapters/stores/postgres/connections.ts'
import { headComparison } from '../../adapters/stores/postgres/epoch.ts'

const BEFORE_RENEWAL = { here: '7/00000002', known: '7/00000001', is_standby: false }
const RENEWED = { ...BEFORE_RENEWAL, known: BEFORE_RENEWAL.here }
const STANDBY = { here: null, known: '7/00000001', is_standby: true }

/** Each query waits until the test answers it. */
const heldReads = () => {
  const answers: Array<(identity: object) => void> = []
  const query = (() =>
    new Promise<unknown>((resolve) => {
      answers.push((identity) => resolve({ rows: [identity] }))
    })) as Connections['read']
  return { answers, connections: { read: query, write: query } }
}

describe('what an append compares of the head', () => {
  for (const [said, slow] of Object.entries({
    'that the log came from another server': BEFORE_RENEWAL,
    'that a standby answered': STANDBY,
  }))
    it(`is what the last answer said, though a slower and older one said ${said}`, async () => {
      const { answers, connections } = heldReads()
      const comparison = headComparison(connections)
      const older = comparison()
      const newer = comparison()
      answers[1]?.(RENEWED)
      expect(await newer).to.equal('table and timeline')
      answers[0]?.(slow)
      expect(await older).not.to.equal('table and timeline')
      const next = comparison()
      answers[2]?.(RENEWED) // a machine that stood still for a second asks again
      expect(await next).to.equal('table and timeline')
    })

  it('is asked again as long as the log came from another server', async () => {
    const { answers, connections } = heldReads()
    const comparison = headComparison(connections)
    const first = comparison()
    answers[0]?.(BEFORE_RENEWAL)
    expect(await first).to.equal('another server')
    const second = comparison()
    answers[1]?.(RENEWED)
    expect(await second).to.equal('table and timeline')
  })
})
