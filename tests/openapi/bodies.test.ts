import { expect } from 'chai'
import * as fc from 'fast-check'
import { Dependency, provide } from '../../adapters/index.ts'
import { anyCharacter } from '../support/code-points.ts'
import { credentialsFor } from '../support/credentials.ts'
import { FORM_TYPE } from '../support/introspection.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { compilerFor, type Operation, operationsOf, type Placed, resolved } from '../support/open-api.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** How many random bodies each route gets. All routes read them with the same code. */
const BODIES = Number(process.env.RANDOM_BODIES ?? 30)

/** Values of a field near the boundary between missing and present. */
const value = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
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

/** The parameters of a form, with values from examples or random ones. Keys are in the header; the scope is fixed. */
const formWith = (examples: Readonly<Record<string, string>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(examples)
        .filter(([name]) => !name.startsWith('client_'))
        .map(([name, example]) => [
          name,
          name === 'scope'
            ? fc.constant(example)
            : fc.oneof(fc.constant(example), fc.string({ maxLength: 5 })),
        ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>> // each key is present or absent, and never undefined

const examplesIn = ({ requestBody }: Operation): Readonly<Record<string, string>> => {
  const { properties }: { properties?: Record<string, { examples: [string] }> } =
    requestBody?.content[FORM_TYPE]?.schema ?? {}
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, { examples }]) => [name, examples[0]]),
  )
}

/** A user who has no password needs none. So the schemas do not require it. */
const UNLESS_WITHOUT_PASSWORD = ['/api/v1/users password', '/api/v1/profile/remove password']

describe('the schema of a request body', () => {
  let running: RunningService
  let bodies: ReadonlyArray<Placed>
  before(async () => {
    running = await startService(
      mailLinkSettings(),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    bodies = operationsOf(resolved(running.service.openApi())).filter(
      ({ operation }) => operation.requestBody,
    )
  })
  after(() => running.stop())

  it('is required exactly where a request without it cannot succeed', async () => {
    const removal = bodies.find(({ path }) => path === '/api/v1/profile/remove')
    expect(removal?.operation.requestBody?.required, 'a user without a password sends none').to.equal(false)
    for (const { method, path, operation } of bodies) {
      if (path === removal?.path) continue
      const credentials = await credentialsFor(running, operation, await running.userToken())
      const { status } = await running.send({ method, path, ...credentials })
      expect(operation.requestBody?.required, `${method} ${path}`).to.equal(status >= 400)
    }
  })

  it('reports the same missing fields as the service for any JSON', async () => {
    const compile = compilerFor(running.service.openApi(), 'requests')
    const asked = bodies.filter(({ operation }) => operation.responses['422'] !== undefined)
    expect(asked).to.have.lengthOf.above(4)
    for (const placed of asked) {
      const { method, path, operation } = placed
      const schema = operation.requestBody?.content['application/json']?.schema as { required: Array<string> }
      const isValid = compile(schema)
      const credentials = await credentialsFor(running, operation, await running.userToken())
      await fc.assert(
        fc.asyncProperty(bodyWith(schema.required), async (body) => {
          // A value that is none of an enumeration is there, and unknown.
          const faults = (isValid(body) ? [] : (isValid.errors ?? [])).filter(
            ({ keyword }) => keyword !== 'enum',
          )
          const missing = faults.some(
            ({ instancePath, keyword }) => instancePath === '' && keyword === 'type',
          )
            ? schema.required
            : faults.map(({ instancePath, params }) => instancePath.slice(1) || params.missingProperty)
          const answer = await running.send({
            method,
            path,
            ...credentials,
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json', ...credentials.headers },
          })
          const errors: ReadonlyArray<{ message: string; param: string }> = answer.body.errors ?? []
          const said = errors
            .filter(({ message }) => message.endsWith('is missing or empty.'))
            .map(({ param }) => param)
            .filter((param) => !UNLESS_WITHOUT_PASSWORD.includes(`${path} ${param}`))
          expect(said).to.have.members([...new Set(missing)])
        }),
        { numRuns: BODIES },
      )
    }
  }).timeout(120_000)

  it('reports the same missing parameters as the service for any form', async () => {
    const compile = compilerFor(running.service.openApi(), 'requests')
    const asked = bodies.filter(({ operation }) => operation.requestBody?.content[FORM_TYPE] !== undefined)
    expect(asked).not.to.deep.equal([])
    for (const placed of asked) {
      const { method, path, operation } = placed
      const isValid = compile(operation.requestBody?.content[FORM_TYPE]?.schema ?? {})
      const credentials = await credentialsFor(running, operation, await running.userToken())
      await fc.assert(
        fc.asyncProperty(formWith(examplesIn(operation)), async (fields) => {
          const answer = await running.send({
            method,
            path,
            ...credentials,
            body: new URLSearchParams(fields).toString(),
            headers: { 'content-type': FORM_TYPE, ...credentials.headers },
          })
          expect(answer.status === 200).to.equal(isValid(fields))
        }),
        { numRuns: BODIES },
      )
    }
  }).timeout(60_000)
})
