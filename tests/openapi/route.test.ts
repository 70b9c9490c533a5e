import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { leakedAre } from '../support/fake-passwords.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { documentOf, operationsOf, resolved } from '../support/open-api.ts'
import { ruleAgainst } from '../support/password-rules.ts'
import { withService } from '../support/with-service.ts'

const PREFIXED: Environment = { PUBLIC_URL: 'https://example.com/auth' }

describe('GET /openapi.json', () => {
  it('returns the document without authentication', async () => {
    await withService({}, async ({ send, service }) => {
      const answer = await send({ method: 'GET', path: '/openapi.json' })
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal(JSON.parse(service.openApi()))
      expect(answer.body).to.include({ openapi: '3.1.1' })
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(Buffer.byteLength(service.openApi())),
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    })
  })

  it('is served under the prefix, with the prefix in every path', async () => {
    await withService(PREFIXED, async ({ send }) => {
      expect((await send({ method: 'GET', path: '/openapi.json' })).status).to.equal(404)
      const { body } = await send({ method: 'GET', path: '/auth/openapi.json' })
      const operations = operationsOf(resolved(JSON.stringify(body)))
      const paths = operations.map(({ path }) => path)
      expect(paths).to.include.members(['/healthz', '/readyz', '/auth/openapi.json', '/auth/api/v1/profile'])
      for (const { method, path } of operations) {
        const { status } = await send({ method: 'OPTIONS', path })
        expect(status, `${method} ${path}`).to.equal(204)
      }
    })
  })

  it('describes exactly the methods of each path, except HEAD and OPTIONS', async () => {
    await withService({}, async ({ send, service }) => {
      const operations = operationsOf(resolved(service.openApi()))
      for (const path of new Set(operations.map((one) => one.path))) {
        const { headers } = await send({ method: 'OPTIONS', path })
        const described = operations.filter((one) => one.path === path).map(({ method }) => method)
        const allowed = String(headers.allow).split(', ')
        expect(
          allowed.filter((method) => !['HEAD', 'OPTIONS'].includes(method)),
          path,
        ).to.have.members(described)
      }
    })
  })

  it('lists the codes for weak passwords only if the service checks for them', async () => {
    const codes = async (environment: Environment, ...modules: ReadonlyArray<Module>) => {
      const change = resolved(await documentOf(environment, ...modules)).paths[
        '/api/v1/profile/change_password'
      ]?.post
      const schema = Object(change?.responses['422']?.content?.['application/json']?.schema)
      const found = schema.properties.errors.items.oneOf.map(
        ({ properties }: { properties: { code: { const: number } } }) => properties.code.const,
      )
      return [...new Set(found)]
    }
    expect(await codes({})).to.deep.equal([1, 2, 3, 4, 5])
    expect(await codes({ PASSWORD_POLICY: 'nist' })).to.deep.equal([1, 2, 3, 4, 5, 7, 9, 10, 11])
    const list = provide(Dependency.leakedPasswords, () => leakedAre('leaked'))
    expect(await codes({ PASSWORD_POLICY: 'nist' }, list)).to.deep.equal([1, 2, 3, 4, 5, 7, 8, 9, 10, 11])
    const rules = provide(Dependency.passwordRules, () => [ruleAgainst('shop'), ruleAgainst('tea')])
    expect(await codes({}, rules)).to.deep.equal([1, 2, 3, 4, 5, 6])
  })
})
