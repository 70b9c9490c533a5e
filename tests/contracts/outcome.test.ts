import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/TaskEither.js'
import type { Conflict, EmailTaken, StoreUnavailable } from '../../application/ports/store.ts'
import { refused, unavailable } from '../testkit/outcome.ts'

type Refusal = Conflict | EmailTaken | StoreUnavailable

const thrownBy = (checked: Promise<unknown>): Promise<unknown> =>
  checked.then(
    () => expect.fail('it let that pass'),
    (error: unknown) => error,
  )

describe('a case of a contract that expects a refusal', () => {
  const conflict: Refusal = { _tag: 'Conflict' }

  it('fails if the adapter succeeds, and names the expected refusal and the given input', async () => {
    const done = right<Refusal, string>('done')
    expect(await thrownBy(refused(done, conflict))).to.deep.include({
      expected: { _tag: 'Conflict' },
      actual: { _tag: 'Right', right: 'done' },
      message: 'it succeeded: "done"',
    })
    expect(await thrownBy(refused(done, conflict, 'a forged one'))).to.have.property(
      'message',
      'it succeeded: a forged one',
    )
    expect(await thrownBy(unavailable(done))).to.deep.include({ expected: { _tag: 'StoreUnavailable' } })
  })

  it('fails if the adapter refuses for another reason, and names both reasons', async () => {
    const taken = left<Refusal, void>({ _tag: 'EmailTaken' })
    const said = { actual: { _tag: 'EmailTaken' }, expected: { _tag: 'Conflict' } }
    expect(await thrownBy(refused(taken, conflict))).to.deep.include(said)
    expect(await thrownBy(unavailable(taken))).to.deep.include({
      actual: 'EmailTaken',
      expected: 'StoreUnavailable',
    })
  })

  it('passes with the expected refusal', async () => {
    await refused(left<Refusal, void>({ _tag: 'Conflict' }), conflict)
    const away = { _tag: 'StoreUnavailable', reason: 'away' } as const
    expect(await unavailable(left<Refusal, void>(away))).to.deep.equal(away)
  })
})
