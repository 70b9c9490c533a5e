import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect } from 'chai'
import { SETTINGS } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { needs, serviceSays } from './systemd.ts'

const page = partOf(
  readFileSync(join(ROOT, 'docs/sizing.md'), 'utf8'),
  '## One instance per core with systemd',
)
const [template = '', ports = '', start = '', check = ''] = codeIn(page, 'sh')
const [shared = ''] = codeIn(page, 'ini')
const [proxy = ''] = codeIn(page, 'nginx')

describe('the commands of docs/sizing.md for one instance per core', () => {
  /** Stands for the root of a machine. */
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  after(() => rmSync(folder, { recursive: true }))
  const at = (path: string) => join(folder, path)
  const paste = (commands: string) =>
    execFileSync('sh', ['-e', '-c', commands.replaceAll('sudo ', '').replaceAll('/etc/', `${folder}/etc/`)], {
      cwd: ROOT,
    })
  const numbers = [...start.matchAll(/portcullis@(\d+)/g)].map(([, number = '']) => number)
  const settingsOf = (number: string) => ({
    ...parseEnv(shared),
    ...parseEnv(readFileSync(at(`etc/portcullis/portcullis-${number}.env`), 'utf8')),
  })

  before(() => {
    mkdirSync(at('etc/systemd/system'), { recursive: true })
    mkdirSync(at('etc/portcullis'))
    paste(template)
    paste(ports)
  })

  it('make a template that systemd-analyze accepts', function () {
    needs(this, 'systemd-analyze', 'verify', '--man=no', '--version')
    const path = at('etc/systemd/system/portcullis@.service')
    const unit = readFileSync(path, 'utf8')
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
  })

  it('give each instance a file of existing settings, which the template reads', () => {
    const addition = readFileSync(at('etc/systemd/system/portcullis@.service.d/instance.conf'), 'utf8')
    const [file = ''] = serviceSays('EnvironmentFile', addition)
    expect(file).to.include('%i')
    expect(numbers).to.have.lengthOf(2)
    for (const number of numbers) {
      const own = readFileSync(file.replace('%i', number), 'utf8')
      expect(SETTINGS).to.include.members(Object.keys({ ...parseEnv(shared), ...parseEnv(own) }))
    }
  })

  it('give each instance ports of its own, which the check and the proxy use', () => {
    const all = numbers.map(settingsOf)
    const taken = all.flatMap(({ PORT, METRICS_PORT }) => [PORT, METRICS_PORT])
    expect(new Set(taken)).to.have.lengthOf(4)
    const portsOf = (text: string) => [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port)
    expect(portsOf(check)).to.deep.equal(all.map(({ PORT }) => PORT))
    expect(portsOf(proxy)).to.deep.equal(all.map(({ PORT }) => PORT))
  })
})
