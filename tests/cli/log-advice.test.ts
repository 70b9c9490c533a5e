import { expect } from 'chai'
import { logAdvice } from '../../adapters/cli/log-finding.ts'

const DAY = 24 * 3600

describe('the advice of doctor for rows that disagree with the log', () => {
  it('is a back-up if there is no other cause', () => {
    expect(logAdvice(undefined)).to.equal('Restore a back-up.')
  })

  it('names the clock that was ahead, and no back-up', () => {
    const clock = { position: 57, seconds: 365 * DAY }
    expect(logAdvice({ tables: ['sessions', 'one_time_tokens'], clock })).to.equal(
      'A clock was 365 days ahead at position 57, so a server has deleted them too early. Correct the clock, then restart the servers. Restore nothing. Users sign in again and ask for new links.',
    )
  })

  it('ends revoked tokens that are valid again', () => {
    const clock = { position: 57, seconds: 365 * DAY }
    for (const early of [
      { tables: ['revoked_tokens'], clock },
      { tables: ['revoked_tokens'], clock: undefined },
    ] as const)
      expect(logAdvice(early)).to.include('portcullis keys rotate --purpose application --leaked')
  })

  it('names both causes if the log shows no such clock', () => {
    expect(logAdvice({ tables: ['one_time_tokens'], clock: undefined })).to.equal(
      'If the clock was ahead when a server started, that server has deleted them too early. Users sign in again and ask for new links. Otherwise something else has deleted them: restore a back-up.',
    )
  })

  for (const [seconds, span] of [
    [61, '1 minutes'],
    [600, '10 minutes'],
    [7199, '120 minutes'],
    [7200, '2 hours'],
    [DAY, '24 hours'],
    [2 * DAY, '2 days'],
  ] as const)
    it(`calls ${seconds} seconds ${span}`, () => {
      expect(logAdvice({ tables: ['sessions'], clock: { position: 1, seconds } })).to.include(`${span} ahead`)
    })
})
