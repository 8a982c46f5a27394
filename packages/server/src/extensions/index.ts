export { packages, type DisabledNames, type Packages, type PackagesOptions } from './packages.ts';
export type { InstalledPackage, InstalledPackages } from './installed-packages.ts';
export type { PackageSource } from './fetch-package.ts';
