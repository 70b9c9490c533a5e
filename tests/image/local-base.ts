import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodePackageOf } from '../matrix/node-package.ts'
import { DOCKERFILE, type Stage, stagesOf } from '../ship/dockerfile.ts'
import type { Buildah } from './buildah.ts'
import { output } from './program.ts'

const [BUILD, IMAGE] = stagesOf(DOCKERFILE) as [Stage, Stage]

/** The base of the Dockerfile’s image, and its local substitute. */
export const BASE = `${IMAGE.image}:${IMAGE.tag}`
export const LOCAL_BASE = `localhost/${BASE}`

const [NODE = '', CODENAME = ''] = IMAGE.tag.split('-')

/** npm 10 comes with Node.js 22. */
const NPM = 'npm@10'

/** The packages of the larger image that the Dockerfile’s first stage needs. */
const COMPILER = ['g++', 'make', 'python3']

/**
 * Makes substitutes for the two images that the Dockerfile is built from, without a container registry. Debian comes from the
 * mirrors that this machine’s apt uses, Node.js from the registry that its npm uses.
 */
export const makeLocalBases = async (buildah: Buildah): Promise<void> => {
  const node = join(buildah.folder, 'node')
  mkdirSync(node)
  const packageName = nodePackageOf(MACHINE) ?? ''
  const install = ['install', '--global=false', '--no-save', '--no-package-lock', '--prefix', node]
  await output('npm', [...install, `${packageName}@${NODE}`, NPM], { cwd: node })
  const modules = join(node, 'node_modules')

  await Promise.all([
    makeImage(buildah, LOCAL_BASE, [], (root) => {
      copyNode(join(modules, packageName), root)
    }),
    makeImage(buildah, `localhost/${BUILD.image}:${BUILD.tag}`, COMPILER, (root) => {
      copyNode(join(modules, packageName), root)
      cpSync(join(modules, packageName, 'include'), join(root, 'usr/local/include'), { recursive: true })
      const npm = 'lib/node_modules/npm'
      cpSync(join(modules, 'npm'), join(root, 'usr/local', npm), { recursive: true })
      symlinkSync(`../${npm}/bin/npm-cli.js`, join(root, 'usr/local/bin/npm'))
      symlinkSync(`../${npm}/bin/npx-cli.js`, join(root, 'usr/local/bin/npx'))
      configureNpm(root)
    }),
  ])
}

const MACHINE = `${process.platform}-${process.arch}`

const copyNode = (from: string, root: string): void =>
  copyFileSync(join(from, 'bin/node'), join(root, 'usr/local/bin/node'))

const makeImage = async (
  { run }: Buildah,
  name: string,
  packages: ReadonlyArray<string>,
  complete: (root: string) => void,
): Promise<void> => {
  const container = await run('from', 'scratch')
  const root = await run('mount', container)
  const words = [
    '--variant=minbase',
    ...packages.map((name) => `--include=${name}`),
    ...aptOptions().map((option) => `--aptopt=${option}`),
    // The user of the official image. And nothing of this machine must remain in it.
    '--customize-hook=chroot "$1" useradd --uid 1000 --user-group --create-home node',
    '--customize-hook=cd "$1/etc" && rm -f apt/sources.list apt/apt.conf.d/99mmdebstrap resolv.conf hostname',
    ...[CODENAME, root, '-'],
  ]
  await output('mmdebstrap', words, { input: `${debianSources().join('\n')}\n` })
  complete(root)
  await run('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container)
  await run('commit', '--quiet', '--rm', container, name)
}

const printedBy = (program: string, ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
  (spawnSync(program, words, { encoding: 'utf8' }).stdout ?? '').trim().split('\n')

/** The lines of sources.list for the Dockerfile’s Debian, with the mirrors of this machine. */
export const debianSources = (): ReadonlyArray<string> => {
  const mirrorOf = (label: string): ReadonlyArray<string> => {
    const words = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', `Label: ${label}`]
    return printedBy('apt-get', ...words)
      .filter((line) => line !== '')
      .slice(0, 1)
  }
  return [
    ...mirrorOf('Debian').map((uri) => `deb ${uri} ${CODENAME} main`),
    ...mirrorOf('Debian-Security').map((uri) => `deb ${uri} ${CODENAME}-security main`),
  ]
}

/** How this machine’s apt reaches its mirrors: proxies, certificates, retries and checks. */
const aptOptions = (): ReadonlyArray<string> =>
  printedBy('apt-config', 'dump').filter(
    (line) => /^Acquire::(?:https?|Retries|Check-)/.test(line) && !line.endsWith(' "";'),
  )

/** Gives the npm of the first stage, which is not in the image, the connection of this machine’s npm. */
const configureNpm = (root: string): void => {
  const folder = join(root, 'usr/local/etc')
  mkdirSync(folder, { recursive: true })
  const lines = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl']
    .map((name) => [name, printedBy('npm', 'config', 'get', name)[0] ?? ''] as const)
    .filter(([, value]) => !['', 'null', 'undefined'].includes(value))
    .map(([name, value]) => `${name}=${value}`)
  const [cafile = ''] = printedBy('npm', 'config', 'get', 'cafile')
  if (existsSync(cafile)) {
    copyFileSync(cafile, join(folder, 'ca.pem'))
    lines.push('cafile=/usr/local/etc/ca.pem')
  }
  writeFileSync(join(folder, 'npmrc'), `${lines.join('\n')}\n`)
}

const works = (program: string, ...words: ReadonlyArray<string>): boolean =>
  spawnSync(program, words).status === 0

/** Why this machine cannot make the substitutes and run containers of them, or `undefined` if it can. */
export const whyNoLocalBases = (): string | undefined => {
  for (const program of ['buildah', 'mmdebstrap'])
    if (!works(program, '--version')) return `there is no ${program} (make buildah)`
  if (process.getuid?.() !== 0) return 'only root can do it'
  if (!works('unshare', '--mount', '--pid', '--fork', 'true')) return 'this machine permits no namespaces'
  if (nodePackageOf(MACHINE) === undefined) return `npm has no package of Node.js for ${MACHINE}`
  if (debianSources().length === 0) return 'apt has no mirror of Debian'
  return undefined
}
