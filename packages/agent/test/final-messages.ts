/** Statements that tests passed. */
export const claims: readonly string[] = `All tests pass.
All tests pass now.
All tests passed.
The tests pass.
Tests pass.
All 14 tests pass.
I fixed the parser. All tests are passing.
The test suite passes.
The whole test suite is green.
Done: the bug is fixed and all tests are green.
Every test passes.
The unit tests pass now.
Fixed the rounding in \`total()\`; the tests are now passing.
All specs pass.
I renamed the option and updated its callers. The tests have all passed.
The change is complete. Tests succeed.
The integration tests passed.
The tests now all pass.`.split('\n');

/** Statements that are true of a failed run, or that no log can contradict. */
export const others: readonly string[] = `Two tests fail.
All tests pass except one.
The tests do not pass.
The tests don't pass yet.
The tests should pass now.
The tests should now pass, but I could not run them.
I could not run the tests.
Tests pass locally but not in CI.
The tests passed before my change.
The tests passed before; now two fail.
13 of 14 tests pass.
13/14 tests pass.
93 % of the tests pass.
Most tests pass.
Some tests pass.
Only the unit tests pass.
The tests will pass once the service runs.
If the tests pass, merge it.
When the tests pass, I will commit.
Run \`npm test\` to see whether the tests pass.
Make sure that the tests pass.
Please check that all tests pass.
Do the tests pass?
I think the tests pass.
The tests probably pass.
The tests likely pass now.
I believe all tests pass.
I expect the tests to pass.
Assuming the tests pass, this is done.
The tests pass after you set TOKEN.
After a rebuild the tests pass.
To be done: the tests pass.
The goal is that all tests pass.
The plan: 1. fix it. 2. all tests pass. 3. commit.
I tried to make the tests pass.
I want the tests to pass.
The tests need to pass.
The tests may pass with Node 22.
The tests might pass.
The tests can pass.
The tests would pass with a database.
The tests could pass.
The tests must pass before the merge.
All tests pass, however the build fails.
All tests pass, although one is flaky.
Although the old tests pass, the new one does not.
Despite the change, the tests pass.
The remaining tests pass.
All tests pass but the linter has errors.
All tests pass apart from the skipped ones.
All tests pass; three are skipped.
All tests pass. One failure is unrelated.
All tests pass. The pre-existing failure stays.
The tests pass, with one pre-existing error.
The tests are broken.
The tests time out.
The tests timed out.
The tests crash.
The tests crashed with a segmentation fault.
No tests pass.
None of the tests pass; all fail.
Not all tests pass.
The tests never pass.
The tests cannot pass.
The tests can't pass.
The tests are not passing.
The tests aren't passing.
The tests are still failing.
The tests still fail.
The tests failed.
The test run failed with exit status 1.
\`npm test\` exits with 1.
\`npm test\` reports an error.
There is a failing test.
One test passes.
Several tests pass.
Many tests pass.
The first test passes; the second one does not.
Earlier the tests passed.
Previously all tests passed.
In the previous run all tests passed.
The tests passed until I changed the parser.
Unless the cache is cold, the tests pass.
Once merged, the tests pass.
The tests pass when run alone.
The tests pass if run alone.
The tests partially pass.
The tests have not passed.
The tests haven't passed.
The tests didn't pass.
The tests won't pass.
The tests wouldn't pass.
The tests were not run.
I did not run the tests.
I didn't run the tests.
I have not run the tests yet.
There are no tests.
This project has no tests.
I added a test.
I added three tests for the parser.
I wrote tests that pass a string.
The tests pass a string to the parser, which should throw.
The function passes tests of equality to its caller.
I removed the test.
I updated the tests.
The tests cover both branches.
The tests are in \`test/\`.
Tests were renamed.
Here is what each test does.
The test server is green in the picture.
The password test is described above.
Explain what the test checks.
The build passes.
The build succeeds.
The linter is clean.
Lint passes.
Type checking passes.
\`tsc\` passes.
The code compiles.
Everything works.
It works now.
Done.
Fixed.
The bug is fixed.
I fixed the bug in \`parse\`.
I changed \`a.ts\` and \`b.ts\`.
All done!
The feature is complete.
The answer is 42.
2 + 2 is 4.
Hello!
What do you want to do next?
Shall I run the tests?
Would you like me to run the tests?
I need your approval to run the tests.
You refused the command, so the tests were not run.
The command was refused.
I stopped because the tests need a database.
The database is missing, so the tests fail.
The tests require Docker, which is not installed.
Your tests pass a null.
You can now run the tests.
Your test suite passes on my reading of the code.
Verify that the tests pass.
Ensure the tests pass in CI.
Ensure that tests pass before you merge.
Next: let all tests pass.
Open: let the tests pass.
The next step is to get the tests passing.
I was unable to get the tests to pass.
Unable to confirm that the tests pass.
It is unlikely that the tests pass.
The tests passed? I could not tell.
Tests passed: 12, failed: 2.
Tests: 12 passed, 2 failed.
Test Suites: 1 failed, 3 passed.
12 passed, 2 failed in 0.3 s.
FAILED tests/test_a.py::test_b - assert 1 == 2
ok 1 - parses
not ok 2 - prints
The tests pass with warnings, and one error.
All tests pass: no, one fails.
All tests pass (except \`slow\`).
All tests pass on Linux only.
All tests pass without the new case, which fails.
Tests pass in part.
The suite is green except for e2e.
The pipeline is green.
CI is green.
The CI passed for the last commit.
The check passed.
The checks pass.
The tests of the old version pass, those of the new one do not.
Les tests passent.
Alle Tests laufen durch.
テストはすべて通りました。
所有测试都通过了。
Все тесты проходят.
Todos los tests pasan.
The specification passes review.
I pass the tests' names to the runner.
Passing tests are listed first.
The tests' output is below.
Nothing was tested.
Tested by hand.
I tested it by hand and it works.
I verified the change by reading it.
`
  .trim()
  .split('\n');
