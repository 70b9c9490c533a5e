import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { main, processWorkplace } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'

/** The user id of nobody. */
const NOBODY_ID = 65534
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY_ID}`, `--regid=${NOBODY_ID}`, '--clear-groups', '--']

const IS_ROOT = process.getuid?.() === 0
/** Root may access all files, so the service runs as another user, if that user can read the code. */
const CAN_CHANGE_USER =
  IS_ROOT && spawnSync('setpriv', [...AS_NOBODY.slice(1), process.execPath, main, '--version']).status === 0

type Wrong = Readonly<{ what: string; lay: (path: string) => void; onlyRootLaysIt?: true }>

const WRONG: ReadonlyArray<Wrong> = [
  {
    what: 'its own read-only file in its own read-only folder',
    lay: (path) => {
      chmodSync(path, 0o400)
      chmodSync(dirname(path), 0o500)
    },
  },
  { what: 'its own read-only file', lay: (path) => chmodSync(path, 0o400) },
  { what: 'a read-only folder', lay: (path) => chmodSync(dirname(path), 0o500) },
  { what: 'a folder without search permission', lay: (path) => chmodSync(dirname(path), 0) },
  { what: 'a file of root', lay: (path) => chownSync(path, 0, 0), onlyRootLaysIt: true },
  {
    what: 'a folder of root',
    lay: (path) => chownSync(dirname(path), 0, 0),
    onlyRootLaysIt: true,
  },
]

const MAY_NOT_WRITE =
  'this user may not write it. Change its owner or mode, or name another file in DATABASE_URL.'

type Check = Readonly<{ name: string; ok: boolean; detail: string }>

describe('portcullis doctor on a store that the user of the service may not use', () => {
  const service = processWorkplace((commandLine) => [...(CAN_CHANGE_USER ? AS_NOBODY : []), ...commandLine])
  const byRoot = processWorkplace()
  const { folder, database } = service
  const isSkipped = IS_ROOT && !CAN_CHANGE_USER
  const why = isSkipped ? ' (skipped: root may access all files, and cannot change its user here)' : ''

  /** Restores owners and modes. */
  const mend = (): void => {
    if (IS_ROOT) for (const path of [dirname(database), database]) chownSync(path, NOBODY_ID, NOBODY_ID)
    chmodSync(dirname(database), 0o700)
    chmodSync(database, 0o600)
  }
  before(async function () {
    if (isSkipped) this.skip()
    if (IS_ROOT) chownSync(folder, NOBODY_ID, NOBODY_ID)
    expect((await service.portcullis('application create --name shop')).status).to.equal(0)
  })
  afterEach(() => {
    if (!isSkipped) mend()
  })
  after(() => {
    service.remove()
    byRoot.remove()
  })

  const wrongIn = ({ out }: Readonly<{ out: string }>): ReadonlyArray<Check> =>
    JSON.parse(out).checks.filter(({ ok }: Check) => !ok)
  const seenBy = async ({ portcullis }: typeof service): Promise<ReadonlyArray<Check>> =>
    wrongIn(
      await portcullis('doctor --json', {
        environment: { ...DEFAULT_COST, DATABASE_URL: `sqlite:${database}` },
      }),
    )

  for (const { what, lay, onlyRootLaysIt } of WRONG) {
    const cannot = onlyRootLaysIt && !IS_ROOT ? ' (skipped: only root can give files away)' : ''
    const itWherePossible = why + cannot === '' ? it : it.skip
    itWherePossible(`reports ${what} as serve does, without mentioning back-ups${why}${cannot}`, async () => {
      const bytes = readFileSync(database)
      lay(database)
      const wrong = await seenBy(service)
      expect(wrong.map(({ name }) => name)).to.deep.equal(['permissions', 'store'])
      expect(wrong[0]?.detail).to.match(
        /^this user may not read and write \S+\/data\S*: change its owner or mode\./,
      )
      expect(wrong[1]?.detail).to.equal(MAY_NOT_WRITE)
      const { status, err } = await service.portcullis('serve')
      expect([status, err]).to.deep.equal([
        1,
        `The database ./data/portcullis.db cannot be used: ${MAY_NOT_WRITE}\n`,
      ])
      mend()
      expect(readFileSync(database).equals(bytes)).to.equal(true)
    })
  }

  const itAsRoot = CAN_CHANGE_USER ? it : it.skip
  const whyNot = CAN_CHANGE_USER ? '' : ' (skipped: only root can give files away)'
  itAsRoot(`names the command that repairs the owner of a file of root${whyNot}`, async () => {
    chownSync(database, 0, 0)
    const [wrong, ...more] = await seenBy(byRoot)
    expect(more).to.deep.equal([])
    const command = `chown --reference=${dirname(database)} ${database}`
    expect(wrong).to.deep.equal({
      name: 'permissions',
      ok: false,
      detail: `${database} has another owner than its folder: ${command}.`,
    })
    execFileSync('sh', ['-ec', command])
    expect(await seenBy(byRoot)).to.deep.equal([])
    expect(await seenBy(service)).to.deep.equal([])
  })
})
