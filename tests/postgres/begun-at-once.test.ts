import { expect } from 'chai'
import { openDatabase } from '../../adapters/postgres/database.ts'
import { postgres } from '../support/postgres.ts'

const INSTANCES = 8
const TIMES = 5

;(postgres === undefined ? describe.skip : describe)('an empty database', () => {
  it('may be begun on by several instances at once', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const database = await postgres?.newDatabase()
      if (database === undefined) throw new Error('there is no PostgreSQL')
      const { url, drop } = database
      const begun = Array.from({ length: INSTANCES }, () => openDatabase({ url, place: 'the new one' }))
      const failures = (await Promise.allSettled(begun)).flatMap((one) =>
        one.status === 'rejected' ? [String(one.reason)] : [],
      )
      await drop()
      expect(failures).to.deep.equal([])
    }
  })
})
