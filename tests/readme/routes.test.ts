import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { allRoutes } from '../client/all-routes.ts'
import { withRoutes } from '../client/routes-table.ts'
import { expectListed } from '../support/listed.ts'
import {
  IDENTITY_PAGE_ROUTES,
  type NamedRoute,
  otherRoutes,
  PAGE_ROUTES,
  PROVIDER_ROUTES,
} from '../support/routes.ts'
import { pagesBelow, withoutCode } from './markdown.ts'

/** The tests run from the root of the project, whether compiled or not. */
const read = (path: string): string => readFileSync(path, 'utf8')

/** The pages that define routes. docs/contract.md links to the others. */
const CONTRACT = [
  'contract',
  'account-life',
  'sessions',
  'assurance',
  'second-factor',
  'passkeys',
  'identities',
  'attributes',
  'administration',
  'events-feed',
  'verify-log',
  'password-policy',
  'openid',
].map((name) => `docs/${name}.md`)

/** The routes that a text names with their methods: `GET /path`, or `GET` and `POST /path`. */
const routesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/((?:`[A-Z]+`(?:, | and ))*)`([A-Z]+) (\/[^`]*)`/g)].flatMap(
    ([, before = '', last = '', path = '']) =>
      [...(before.match(/[A-Z]+/g) ?? []), last].map((method) => `${method} ${path}`),
  )

/** The codes in a row of docs/routes.md with their fields: `4 old_password`. */
const codesIn = (row: string): ReadonlyArray<string> => [
  ...new Set([...row.matchAll(/(?<=\| |<br>)(\d+) `(\w+)`/g)].map(([, code, param]) => `${code} ${param}`)),
]

const pathOf = (route: string): string => route.slice(route.indexOf(' ') + 1)

describe('the pages', () => {
  let routes: ReadonlyArray<NamedRoute>
  let names: ReadonlyArray<string>
  before(async () => {
    routes = await otherRoutes()
    names = routes.map(({ name }) => name)
  })

  it('have a row for each route in README.md, and none besides, with the token that it takes', () => {
    const [, table = ''] = read('README.md').split('| route | token | does |\n')
    const cells = table.slice(0, table.indexOf('\n\n')).split('\n').slice(1)
    const rows = cells.map((row) => row.split('|').map((cell) => cell.trim()))
    const listed = rows.flatMap(([, named = '', token]) => routesIn(named).map((name) => ({ name, token })))
    const place = 'the table of routes in README.md'
    expectListed(
      listed.map(({ name }) => name),
      names,
      place,
    )
    for (const { name, token } of listed)
      expect(token, `${place}: the token of ${name}`).to.equal(
        routes.find((route) => route.name === name)?.token,
      )
  })

  it('define each route in docs/contract.md, or on a page that it links to', () => {
    const contract = read('docs/contract.md')
    for (const path of CONTRACT.slice(1)) expect(contract).to.include(`](${path.replace('docs/', '')}`)
    const defined = CONTRACT.flatMap((path) => routesIn(withoutCode(read(path))))
    expectListed(
      [...new Set(defined)].filter((name) => !PROVIDER_ROUTES.includes(name)),
      names,
      CONTRACT.join(', '),
    )
  })

  it('list the fields, statuses and codes of each route in docs/routes.md', async () => {
    const page = read('docs/routes.md')
    expect(page).to.equal(withRoutes(page, await allRoutes())) // `make docs` writes them
    const described = routes.filter(({ name }) => name !== 'GET /')
    const rows = page.split('\n').filter((line) => line.startsWith('| <a '))
    const listed = rows.map((row) => ({ names: routesIn(row), codes: codesIn(row) }))
    expectListed(
      listed.flatMap((row) => row.names),
      described.map(({ name }) => name),
      'docs/routes.md',
    )
    for (const { name, codes } of described)
      expect(listed.find((row) => row.names.includes(name))?.codes, name).to.have.members([...codes])
  })

  it('show each page for people in docs/account-pages.md, and none besides', () => {
    const [, table = ''] = read('docs/account-pages.md').split('| page | shows | does |\n')
    const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `([^`?]+)/gm)]
    expectListed(
      rows.map(([, path = '']) => path),
      [...new Set([...PAGE_ROUTES, ...IDENTITY_PAGE_ROUTES].map(pathOf))],
      'the table of docs/account-pages.md',
    )
    const readme = read('README.md')
    const isNamed = (route: string) =>
      /^\/account(?:\/|$)/.test(pathOf(route)) || readme.includes(`\`${route}\``)
    expect(
      PAGE_ROUTES.filter((route) => !isNamed(route)),
      'README.md names no page except those below /account/',
    ).to.deep.equal([])
  })

  it('show each route of the OpenID provider for browsers in docs/openid.md', () => {
    expect(routesIn(read('docs/openid.md'))).to.include.members([...PROVIDER_ROUTES])
  })

  for (const page of pagesBelow('.').filter((path) => path !== 'CHANGELOG.md'))
    it(`name no route that does not exist: ${page}`, () => {
      const all = [...names, ...PAGE_ROUTES, ...IDENTITY_PAGE_ROUTES, ...PROVIDER_ROUTES]
      const text = read(page)
      expect(
        routesIn(withoutCode(text)).filter((name) => !all.includes(name)),
        page,
      ).to.deep.equal([])
      const paths = [...text.matchAll(PATH)].map(([path]) => path.replace(/[./]$/, ''))
      const known = all.map(pathOf)
      const isKnown = (path: string): boolean =>
        OTHER_PATHS.test(path) ||
        known.some((one) => one === path || one.startsWith(`${path}/`) || isBelow(path, one))
      expect(
        paths.filter((path) => !isKnown(path)),
        page,
      ).to.deep.equal([])
    })
})

const isBelow = (path: string, route: string): boolean =>
  route.endsWith('…') && path.startsWith(route.slice(0, -1))

/** A path of the service, also in commands and in code. */
const PATH = /\/(?:api\/v1|oauth2|account|\.well-known)(?:\/[\w./-]*)?(?![\w-])/g

/** The origin of a log, the metadata of an issuer with a path (RFC 8414 §3.1), and the files that the domain of passkeys serves. */
const OTHER_PATHS =
  /^\/api\/v1\/log\/[0-9a-f]{8}$|^\/\.well-known\/(oauth-authorization-server\/auth|webauthn|assetlinks\.json|apple-app-site-association)$/
