import { expect } from 'chai'
import { readModelPath } from '../../adapters/config/read-model-path.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

const POSTGRES = { DATABASE_URL: 'postgres://ada@db/auth' }
const HOME = { HOME: '/home/ada' }

const PATHS: ReadonlyArray<
  readonly [set: Environment, environment: Environment, haveStorage: boolean, path: string]
> = [
  [{ DATABASE_URL: 'sqlite:data/a.db' }, HOME, false, 'data/a.db.read-model'],
  [
    { DATABASE_URL: 'sqlite:data/a.db' },
    HOME,
    true,
    '/home/ada/.local/state/portcullis/portcullis.read-model',
  ],
  [POSTGRES, HOME, false, '/home/ada/.local/state/portcullis/portcullis.read-model'],
  [POSTGRES, { ...HOME, XDG_STATE_HOME: '/state' }, false, '/state/portcullis/portcullis.read-model'],
  [
    POSTGRES,
    { ...HOME, XDG_STATE_HOME: 'state' },
    false,
    '/home/ada/.local/state/portcullis/portcullis.read-model',
  ],
  [
    POSTGRES,
    { XDG_STATE_HOME: '/state', STATE_DIRECTORY: '/var/lib/p:/b' },
    false,
    '/var/lib/p/portcullis.read-model',
  ],
  [{ ...POSTGRES, READ_MODEL: 'own.db' }, HOME, true, 'own.db'],
]

describe('the place of the read model', () => {
  for (const [set, environment, haveStorage, path] of PATHS)
    it(`is ${path} for ${JSON.stringify({ ...set, ...environment })}${haveStorage ? ' and --with' : ''}`, () => {
      expect(readModelPath(settings(set), environment, haveStorage)).to.equal(path)
    })

  it('must be set if there is no folder for it', () => {
    expect(() => readModelPath(settings(POSTGRES), {}, false)).to.throw(/set READ_MODEL/)
  })
})
