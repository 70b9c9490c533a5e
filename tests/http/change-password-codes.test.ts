import { expect } from 'chai'
import * as fc from 'fast-check'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/profile/change_password'

/** docs/contract.md §7.1, §7.2. */
const ERRORS: Readonly<Record<number, object>> = {
  1: { code: 1, param: 'old_password', message: 'old_password is missing or empty.' },
  2: { code: 2, param: 'new_password', message: 'new_password is missing or empty.' },
  3: { code: 3, param: 'new_password_check', message: 'new_password_check is missing or empty.' },
  4: { code: 4, param: 'old_password', message: 'old_password is not the current password.' },
  5: { code: 5, param: 'new_password_check', message: 'new_password_check differs from new_password.' },
}

/** The fields that are sent, and the codes that are returned. */
const RULES: ReadonlyArray<[string, Readonly<Record<string, string>>, ReadonlyArray<number>]> = [
  ['nothing', {}, [1, 2, 3]],
  ['only a check', { check: 'new' }, [1, 2, 5]],
  ['only a new one', { new: 'new' }, [1, 3]],
  ['no old one, and a check that differs', { new: 'new', check: 'other' }, [1, 5]],
  ['no old one', { new: 'new', check: 'new' }, [1]],
  ['only a wrong old one', { old: 'wrong' }, [2, 3, 4]],
  ['a wrong old one and a check', { old: 'wrong', check: 'new' }, [2, 4, 5]],
  ['a wrong old one and a new one', { old: 'wrong', new: 'new' }, [3, 4]],
  ['a wrong old one and a check that differs', { old: 'wrong', new: 'new', check: 'other' }, [4, 5]],
  ['a wrong old one', { old: 'wrong', new: 'new', check: 'new' }, [4]],
  ['only the old one', { old: 'correct horse' }, [2, 3]],
  ['the old one and a check', { old: 'correct horse', check: 'new' }, [2, 5]],
  ['the old one and a new one', { old: 'correct horse', new: 'new' }, [3]],
  ['a check that differs', { old: 'correct horse', new: 'new', check: 'other' }, [5]],
]

/** All forms of a missing field; `undefined` omits it. */
const MISSING = [
  undefined,
  null,
  '',
  0,
  1,
  true,
  false,
  [],
  ['new'],
  {},
  { new: 'new' },
  '\ud800',
  'new\udc00',
]

const bodyOf = (fields: Readonly<Record<string, unknown>>) => ({
  old_password: fields.old,
  new_password: fields.new,
  new_password_check: fields.check,
})

onMemory('the codes of change_password', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(await stores.fresh())
    token = await running.userToken()
  })
  after(() => running.stop())

  const change = (method: string, body: object) => running.send({ method, path: PATH, token, body })

  for (const method of ['GET', 'POST']) {
    for (const [what, fields, codes] of RULES) {
      it(`${method} with ${what} returns ${codes.join(', ')}`, async () => {
        const answer = await change(method, bodyOf(fields))
        expect(answer.status).to.equal(422)
        expect(answer.body).to.deep.equal({
          success: false,
          code: 422,
          message: 'Some fields are missing or wrong; see errors.',
          errors: codes.map((code) => ERRORS[code]),
        })
      })
    }

    it(`${method} changes nothing when a field is wrong`, async () => {
      for (const [, fields] of RULES) await change(method, bodyOf(fields))
      expect(
        await succeed(running.service.store.readEvents({ after: 0, limit: 10, type: 'PasswordChanged' })),
      ).to.deep.equal([])
      expect(await running.userToken({ email: 'ada@example.com', password: 'correct horse' })).to.be.a(
        'string',
      )
      expect((await running.send({ method: 'GET', path: '/api/v1/profile', token })).status).to.equal(200)
    })
  }

  for (const missing of MISSING) {
    it(`${JSON.stringify(missing) ?? 'an absent field'} counts as missing`, async () => {
      const answer = await change('POST', bodyOf({ old: missing, new: missing, check: missing }))
      expect(answer.status).to.equal(422)
      expect(answer.body.errors).to.deep.equal([ERRORS[1], ERRORS[2], ERRORS[3]])
    })
  }

  it('compares new_password_check with new_password even when neither is text', async () => {
    const answer = await change('POST', bodyOf({ old: 'correct horse', new: ['new'], check: 'new' }))
    expect(answer.body.errors).to.deep.equal([ERRORS[2], ERRORS[5]])
  })

  it('match the rules of docs/contract.md §7.2 for any body', async function () {
    this.timeout(10_000)
    let current = 'correct horse'
    const isThere = (value: unknown): value is string =>
      typeof value === 'string' && value !== '' && value.isWellFormed()

    /** The rules of docs/contract.md §7.2, literally. */
    const codesOf = (body: Readonly<Record<string, unknown>>): ReadonlyArray<number> => [
      ...(isThere(body.old_password) ? [] : [1]),
      ...(isThere(body.new_password) ? [] : [2]),
      ...(isThere(body.new_password_check) ? [] : [3]),
      ...(isThere(body.old_password) && body.old_password !== current ? [4] : []),
      ...(isThere(body.new_password_check) && body.new_password_check !== body.new_password ? [5] : []),
    ]

    const CURRENT = Symbol('the current password')
    const few = fc.constantFrom('a', 'A', 'a ', 'a\0', 'é', 'e\u0301', '💥')
    const value = fc.oneof(few, fc.constantFrom(...MISSING), fc.string({ unit: 'binary' }), fc.jsonValue())
    const resolve = (drawn: unknown) => (drawn === CURRENT ? current : drawn)

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST'),
        fc.oneof(fc.constant(CURRENT), value),
        value,
        fc.oneof(fc.constant('the same'), value),
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
        async (method, old, fresh, check, others) => {
          const body = {
            ...others,
            ...bodyOf({ old: resolve(old), new: fresh, check: check === 'the same' ? fresh : check }),
          }
          const codes = codesOf(body)
          const answer = await change(method, body)
          expect(answer.status).to.equal(codes.length === 0 ? 200 : 422)
          expect((answer.body.errors ?? []).map(({ code }: { code: number }) => code)).to.deep.equal(codes)
          if (codes.length === 0) current = String(body.new_password)
        },
      ),
      { numRuns: stores.runs(100) },
    )
  })
})
