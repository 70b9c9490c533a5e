import { expect } from 'chai'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { sourcesIn } from './sources.ts'

describe('the events', () => {
  it('are each recorded by a use case', () => {
    const useCases = sourcesIn('application').filter(({ path }) => !path.includes('/recording/events/'))
    // A failure may have the same tag, and then nothing else.
    const isRecorded = (type: string) => useCases.some(({ text }) => text.includes(`_tag: '${type}',`))
    expect(
      EVENT_TYPES.filter((type) => !isRecorded(type)),
      'no source in application/ records these facts',
    ).to.deep.equal([])
  })
})
