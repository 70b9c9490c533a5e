import { expect } from 'chai'
import * as fc from 'fast-check'
import { Part, provide } from '../../adapters/composition.ts'
import { FORM_TYPE } from '../support/introspection.ts'
import { compilerFor, operationsOf, type Placed, resolved } from '../support/open-api.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/** What a field may hold, mostly what is close to the border: texts of all kinds, and what is none. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\udfff\ud800',
    '\ud83d\ude00',
    'a\ud800b',
    '\n',
    '\u2028',
    '\ufeff',
  ),
  fc.string({
    unit: fc.integer({ min: 0xd7fe, max: 0xe002 }).map((unit) => String.fromCharCode(unit)),
    maxLength: 4,
  }),
  fc.constantFrom(null, true, 0, 1.5, [], {}, ['a'], { length: 1 }),
)

/** Any JSON, mostly an object with these fields. */
const bodyWith = (names: ReadonlyArray<string>): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  )

describe('the schema of a request body', () => {
  let running: RunningService
  let bodies: ReadonlyArray<Placed>
  before(async () => {
    running = await startService(
      {},
      provide(Part.passwordHasher, () => plainHasher()),
    )
    bodies = operationsOf(resolved(running.service.openApi())).filter(
      ({ operation }) => operation.requestBody,
    )
  })
  after(() => running.stop())

  /** A token that may do the operation. A change of the password of nobody's choosing does not end it. */
  const tokenFor = async ({ operation }: Placed): Promise<string | undefined> => {
    const [security = {}] = operation.security ?? []
    const [scope] = security.applicationToken ?? []
    if (scope !== undefined) return await scopedToken(running, scope)
    return security.userToken === undefined ? undefined : await running.userToken()
  }

  it('says that a field is missing exactly where the service does, whatever JSON is sent', async () => {
    const compile = compilerFor(running.service.openApi(), false)
    const asked = bodies.filter(({ operation }) => operation.responses['422'] !== undefined)
    expect(asked).to.have.lengthOf.above(4)
    for (const placed of asked) {
      const { method, path, operation } = placed
      const schema = operation.requestBody?.content['application/json']?.schema as { required: Array<string> }
      const isValid = compile(schema)
      const token = await tokenFor(placed)
      await fc.assert(
        fc.asyncProperty(bodyWith(schema.required), async (body) => {
          const faults = isValid(body) ? [] : (isValid.errors ?? [])
          const missing = faults.some(
            ({ instancePath, keyword }) => instancePath === '' && keyword === 'type',
          )
            ? schema.required
            : faults.map(({ instancePath, params }) => instancePath.slice(1) || params.missingProperty)
          const answer = await running.send({
            method,
            path,
            ...(token === undefined ? {} : { token }),
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          })
          const errors: ReadonlyArray<{ message: string; param: string }> = answer.body.errors ?? []
          const said = errors
            .filter(({ message }) => message.endsWith('is missing or empty.'))
            .map(({ param }) => param)
          expect(said).to.have.members([...new Set(missing)])
        }),
        { numRuns: 300 },
      )
    }
  }).timeout(120_000)

  it('says that a parameter is missing exactly where the service does, whatever form is sent', async () => {
    const compile = compilerFor(running.service.openApi(), false)
    const asked = bodies.filter(({ operation }) => operation.requestBody?.content[FORM_TYPE] !== undefined)
    expect(asked).not.to.deep.equal([])
    for (const placed of asked) {
      const { method, path, operation } = placed
      const isValid = compile(operation.requestBody?.content[FORM_TYPE]?.schema ?? {})
      const token = await tokenFor(placed)
      await fc.assert(
        fc.asyncProperty(
          fc.record(
            { token: fc.string({ maxLength: 5 }), token_type_hint: fc.string({ maxLength: 5 }) },
            { requiredKeys: [] },
          ),
          async (fields) => {
            const sent = Object.entries(fields).flatMap(([name, text]) =>
              text === undefined ? [] : [[name, text] as [string, string]],
            )
            const answer = await running.send({
              method,
              path,
              ...(token === undefined ? {} : { token }),
              body: new URLSearchParams(sent).toString(),
              headers: { 'content-type': FORM_TYPE },
            })
            expect(answer.status === 200).to.equal(isValid(Object.fromEntries(sent)))
          },
        ),
        { numRuns: 200 },
      )
    }
  }).timeout(60_000)
})
