import type { Reporter, TestModule } from 'vitest/node';

/** Reporter that prints each file of tests when it starts: of a run that ends without a result, the files that hang. */
export default class StartedFiles implements Reporter {
  onTestModuleStart(file: TestModule): void {
    process.stdout.write(` … ${file.relativeModuleId}\n`);
  }
}
