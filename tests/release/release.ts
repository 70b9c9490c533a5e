import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildImage, startBuildah } from '../image/buildah.ts'
import { BASE, LOCAL_BASE, makeLocalBases } from '../image/local-base.ts'
import { bomOf } from '../supply-chain/bom.ts'
import { readLock } from '../supply-chain/lock.ts'
import { writeImageArchive } from './image-archive.ts'
import { commitTime, refusals, versionHere } from './refusals.ts'

/**
 * `make release`: writes the files that an owner uploads into release/, and uploads nothing. Status 1: it was refused before
 * anything was built, or something failed.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const FOLDER = 'release'

const make = async (image: boolean, isLocal: boolean): Promise<void> => {
  const version = versionHere()
  const file = (ending: string): string => join(FOLDER, `portcullis-${version}.${ending}`)
  execFileSync('make', ['--no-print-directory', 'build'], { stdio: 'inherit' })
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', FOLDER]
  execFileSync('npm', [...pack, '.', './dist/adapters/client'], { stdio: ['ignore', 'ignore', 'inherit'] })
  copyFileSync('package-lock.json', file('package-lock.json'))
  writeFileSync(file('cdx.json'), `${JSON.stringify(bomOf(readLock()), null, 2)}\n`)
  if (image) await makeImage(version, isLocal, file)
  const sums = readdirSync(FOLDER)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(FOLDER, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''))
}

const makeImage = async (
  version: string,
  isLocal: boolean,
  file: (ending: string) => string,
): Promise<void> => {
  const buildah = startBuildah()
  const base = isLocal ? LOCAL_BASE : BASE
  say(`The image is built on ${base}, which ${isLocal ? 'is made here' : 'comes from a container registry'}.`)
  try {
    if (isLocal) await makeLocalBases(buildah)
    const image = 'localhost/portcullis'
    const label = `org.opencontainers.image.base.name=${base}`
    const words = isLocal ? ['--pull-never', '--label', label] : []
    await buildImage(buildah, { name: image, time: commitTime(), words })
    const ending = `image-${process.arch === 'x64' ? 'amd64' : process.arch}${isLocal ? '-local-base' : ''}.tar`
    await writeImageArchive(buildah, { image, name: `portcullis:${version}`, file: file(ending) })
  } finally {
    await buildah.remove()
  }
}

const { IMAGE = 'yes', BASE: base = 'registry' } = process.env
const reasons = refusals({ image: IMAGE, base })
if (reasons.length > 0) {
  for (const reason of reasons) say(reason)
  say('Nothing was built.')
  process.exitCode = 1
} else {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  try {
    await make(IMAGE === 'yes', base === 'local')
    say(`Upload the files in ${FOLDER}/. Nothing was uploaded.`)
    say(readFileSync(join(FOLDER, 'SHA256SUMS'), 'utf8').trimEnd())
  } catch (error) {
    rmSync(FOLDER, { recursive: true, force: true }) // a part of a release must not look like one
    say(`No release was made: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
