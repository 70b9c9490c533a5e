import { expect } from 'chai'
import * as fc from 'fast-check'
import { anyCharacter } from '../support/code-points.ts'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const LIMIT_BYTES = 16 * 1024

/** Parts of forms, and a few bytes that are not. */
const formBytes = fc
  .array(
    fc.oneof(
      {
        arbitrary: fc.constantFrom('token', 'token_type_hint', '=', '&', '%', '+', '%41', '%FF', '?'),
        weight: 6,
      },
      { arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }), weight: 2 },
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.from(parts.join('')))

/** A well-formed form. */
const wholeForm = fc
  .tuple(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
  )
  .map(([token, hint]) => Buffer.from(new URLSearchParams({ token, token_type_hint: hint }).toString()))

const anyBytes = fc.oneof(
  wholeForm,
  formBytes,
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(formBytes, fc.uint8Array({ maxLength: 4 }), formBytes)
    .map(([before, any, after]) => Buffer.concat([before, any, after])),
)

onMemory('introspection of arbitrary input', (stores) => {
  let running: RunningService
  let gate: string
  let ours: ReadonlyArray<string>
  before(async () => {
    running = await startService(await stores.fresh())
    gate = await scopedToken(running, 'tokens:introspect')
    ours = [await running.userToken(), await running.applicationToken(), gate]
  })
  after(() => running.stop())

  it('answers any form, and never reports a foreign token as active', async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(anyBytes, async (form) => {
        const { status, body } = await introspection(running, gate, { form })
        expect(status).to.be.oneOf([200, 400])
        statuses.add(status)
        if (status === 200) expect(body).to.deep.equal({ active: false })
        else
          expect(body)
            .to.have.all.keys('success', 'code', 'message', 'error', 'error_description')
            .and.include({ success: false, code: 400, error: 'invalid_request' })
      }),
      { numRuns: stores.runs(600) },
    )
    expect([...statuses], 'what the forms come to').to.have.members([200, 400])
  })

  it('reports a token of this service as active, with any other parameters in the form', async () => {
    const others = fc.uniqueArray(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
      {
        selector: ([name]) => name,
        maxLength: 31,
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(2), others, fc.nat(31), async (which, drawn, at) => {
        const pairs = drawn.filter(([name]) => name !== 'token')
        pairs.splice(at, 0, ['token', ours[which] ?? ''])
        const form = new URLSearchParams(pairs).toString()
        fc.pre(form.length <= LIMIT_BYTES)
        const { body } = await introspection(running, gate, { form })
        expect(body).to.include({ active: true })
      }),
      { numRuns: stores.runs(200) },
    )
  })
})
