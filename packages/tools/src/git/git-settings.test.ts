import { expect, test } from 'vitest';
import { changedGitSettings } from './git-settings.ts';

const before = `[core]
	bare = false
[remote "origin"]
	url = https://github.com/a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[alias]
	l = "log --pretty='%h # %s'"
`;

test.for([
  '[user]\n\tname = A B\n\temail = a@b.example\n',
  '[remote "fork"]\n\turl = git@github.com:c/b.git\n\tfetch = +refs/heads/*:refs/remotes/fork/*\n',
  '[remote "fork"]\n\turl = ssh://git@host.example:22/b\n',
  '[branch "a/b"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n\trebase = true\n\tdescription = It is\n',
  '[pull]\n\trebase = false\n[init]\n\tdefaultBranch = main\n[push]\n\tautoSetupRemote = true\n',
  '# A remark\n\n',
])('git executes nothing by the added settings %j', (added) => {
  expect([changedGitSettings(before, before + added), changedGitSettings(before, added + before)]).toEqual([[], []]);
});

test.for([
  ['[core]\n\tfsmonitor = ./evil\n', ['core.fsmonitor']],
  ['[include]\n\tpath = ../evil\n', ['include.path']],
  ['[includeIf "gitdir:**"]\n\tpath = ../evil\n', ['includeif.gitdir:**.path']],
  ['[remote "origin"]\n\turl = https://evil.example/x\n', ['remote.origin.url']],
  ['[remote "origin"]\n\tpushurl = https://evil.example/x\n', ['remote.origin.pushurl']],
  ['[remote "x"]\n\turl = ext::sh -c evil\n', ['remote.x.url']],
  ['[remote "x"]\n\turl = -oProxyCommand=evil:x\n', ['remote.x.url']],
  ['[remote "x"]\n\turl = ssh://-oProxyCommand=evil/x\n', ['remote.x.url']],
  ['[remote "x"]\n\turl = ../other\n', ['remote.x.url']],
  ['[remote "x"]\n\tfetch = +refs/heads/*:refs/heads/*\n', ['remote.x.fetch']],
  ['[remote "x"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', ['remote.x.fetch']],
  ['[remote "x"]\n\tuploadpack = evil\n', ['remote.x.uploadpack']],
  ['[url "ext::evil"]\n\tinsteadOf = https://\n', ['url.ext::evil.insteadof']],
  ['[branch "main"]\n\tremote = evil\n', ['branch.main.remote']],
  ['[branch "x"]\n\tmergeOptions = --evil\n', ['branch.x.mergeoptions']],
  ['[user]\n\tname = "a\n', ['user.name']],
  ['[user]\n\tname = a\\\n[core]\n', ['unreadable']],
  ['[user] name = a\n', ['unreadable']],
  ['[user]\n\tname = a\r[core]\n', ['unreadable']],
  ['fsmonitor = evil\n', ['unreadable']],
] as const)('what the added text %j may execute or replace is named', ([added, names]) => {
  expect(changedGitSettings(before, before + added)).toEqual(names);
});

test('what is removed or moved is named, and so is a repeated setting', () => {
  expect(changedGitSettings(before, before.replace(/^\turl.*\n/m, ''))).toEqual(['remote.origin.url']);
  expect(changedGitSettings('[a]\n\tb = 1\n\tb = 2\n', '[a]\n\tb = 2\n\tb = 1\n')).toEqual(['a.b']);
  expect(changedGitSettings('[a]\n\tb = 1\n', '[a]\n\tb = 1\n\tb = 1\n')).toEqual(['a.b']);
});
