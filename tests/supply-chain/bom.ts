import { type Lock, type Locked, nameAt, needsOf, production } from './lock.ts'

/**
 * What the service is made of: a CycloneDX 1.5 bill of materials of all that production needs, from the lock file and
 * nothing else, so that the same lock makes the same bytes on any machine and at any time. The serial number and the
 * moment of making, both optional, are left out for that.
 *
 * `npm sbom --omit dev` is not used, for it leaves out whatever development needs too.
 */
export const bomOf = (lock: Lock) => {
  const paths = production(lock)
  const refAt = (path: string): string => refOf(path, packageAt(lock, path))
  const [, ...components] = [...new Map(paths.map((path) => [refAt(path), path])).values()].toSorted(byText)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: { type: 'application', ...componentOf('', packageAt(lock, '')) },
    },
    components: components.map((path) => ({
      type: 'library',
      ...componentOf(path, packageAt(lock, path)),
      scope: packageAt(lock, path).optional ? 'optional' : 'required',
    })),
    dependencies: [...new Set(paths.map(refAt))].toSorted(byText).map((ref) => ({
      ref,
      // One package may be installed in several places, and each may find others above it.
      dependsOn: [
        ...new Set(
          paths.filter((path) => refAt(path) === ref).flatMap((path) => needsOf(lock, path).map(refAt)),
        ),
      ].toSorted(byText),
    })),
  }
}

const packageAt = ({ packages }: Lock, path: string): Locked => {
  const found = packages[path]
  if (found === undefined) throw new Error(`the lock has nothing at ${path}`)
  return found
}

/** The package URL (purl) of an npm package names it here. */
const refOf = (path: string, locked: Locked): string =>
  `pkg:npm/${nameAt(path, locked).replace('@', '%40')}@${encodeURIComponent(locked.version)}`

const componentOf = (path: string, locked: Locked) => ({
  'bom-ref': refOf(path, locked),
  name: nameAt(path, locked),
  version: locked.version,
  purl: refOf(path, locked),
  ...(locked.license === undefined ? {} : { licenses: [licenseOf(locked.license)] }),
  ...(locked.integrity === undefined ? {} : { hashes: hashesOf(locked.integrity) }),
})

/** Several licences together are an SPDX expression. */
const licenseOf = (license: string) =>
  /[\s()]/.test(license) ? { expression: license } : { license: { id: license } }

/** Subresource Integrity as npm writes it, in the hexadecimal of CycloneDX. */
const hashesOf = (integrity: string) =>
  [...integrity.matchAll(/sha512-([A-Za-z0-9+/]+=*)/g)].map(([, digest = '']) => ({
    alg: 'SHA-512',
    content: Buffer.from(digest, 'base64').toString('hex'),
  }))

/** By code unit: another locale must not make another order. */
const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
