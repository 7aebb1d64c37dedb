//! What the practice course contains: plain data, the same for everybody.

use crate::git::write::{Change, CommitSpec, FileMode, Person};
use crate::ids::mix;

/// Monday, 12 January 2026, 08:00 UTC.
pub(super) const START: i64 = 1_768_204_800;
/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

fn ada() -> Person {
    Person::new("Ada Kowalska", "ada.kowalska@staff.practice.invalid")
}

fn bela() -> Person {
    Person::new("Béla Farkas", "bela@staff.practice.invalid")
}

fn chen() -> Person {
    Person::new("Chen Wei", "chen.wei@staff.practice.invalid")
}

fn lockstep() -> Person {
    Person::new("Lockstep", "lockstep@users.noreply.github.com")
}

fn spec(author: Person, day: i64, message: &str, changes: Vec<Change>) -> CommitSpec {
    CommitSpec {
        author,
        committer: None,
        seconds: START + day * DAY,
        offset: "+0100".into(),
        message: message.into(),
        changes,
    }
}

fn special(path: &str, mode: FileMode, content: impl Into<Vec<u8>>) -> Change {
    Change::Write { path: path.into(), mode, content: content.into() }
}

/// A small picture: 64 x 64 in the netpbm format, bytes that are no text.
fn picture() -> Vec<u8> {
    let mut bytes = b"P6 64 64 255\n".to_vec();
    for index in 0..64_u64 * 64 * 3 {
        bytes.push(u8::try_from(mix(4, index) & 0xff).unwrap_or_default());
    }
    bytes
}

const README: &str = "# Algorithms, lab 4: heaps\n\nImplement a binary heap in `lab4/src/heap.py`.\n\n\
                      Deadline: 30 April 2026, 18:00\n\nRun the tests with `tools/run_tests.sh`.\n";

const HEAP: &str = "\"\"\"A binary heap. Fill in the bodies.\"\"\"\n\n\nclass Heap:\n    def __init__(self):\n        \
                    self.items = []\n\n    def push(self, item):\n        raise NotImplementedError\n\n    def \
                    pop(self):\n        raise NotImplementedError\n\n    def peek(self):\n        raise \
                    NotImplementedError\n";

const TESTS: &str = "from lab4.src.heap import Heap\n\n\ndef test_push_then_peek():\n    heap = Heap()\n    \
                     heap.push(3)\n    heap.push(1)\n    assert heap.peek() == 1\n\n\ndef test_pop_order():\n    \
                     heap = Heap()\n    for item in (5, 2, 9):\n        heap.push(item)\n    assert \
                     [heap.pop() for _ in range(3)] == [2, 5, 9]\n";

const RUN_TESTS: &str = "#!/bin/sh\nset -eu\ncd \"$(dirname \"$0\")/..\"\npython3 -m pytest -q \"$@\"\n";

/// The source's history up to what the distribution has.
pub(super) fn base() -> Vec<CommitSpec> {
    let mut all = beginnings();
    all.extend(lab_4());
    all
}

fn beginnings() -> Vec<CommitSpec> {
    vec![
        spec(
            ada(),
            0,
            "Start the course repository\n",
            vec![
                Change::file("README.md", "# Algorithms\n\nMaterial for the labs.\n"),
                Change::file(".gitignore", "build/\n*.pyc\n__pycache__/\n"),
            ],
        ),
        spec(
            ada(),
            1,
            "Add the first lab\n",
            vec![
                Change::file("lab1/README.md", "# Lab 1: sorting\n"),
                Change::file("lab1/src/sort.py", "def sort(items):\n    raise NotImplementedError\n"),
            ],
        ),
        spec(
            bela(),
            3,
            "Keep line endings as they are\n\nThe Windows machines need CRLF in batch files.\n",
            vec![
                Change::file(".gitattributes", "* text=auto\n*.bat -text\n*.ppm binary\n"),
                Change::file(
                    "windows/setup.bat",
                    "@echo off\r\npy -m venv .venv\r\n.venv\\Scripts\\pip install pytest\r\n",
                ),
            ],
        ),
        spec(
            chen(),
            4,
            "Add a script that runs the tests\n",
            vec![special("tools/test.sh", FileMode::Executable, RUN_TESTS)],
        ),
        spec(
            ada(),
            7,
            "Rename the test script\n",
            vec![Change::Rename("tools/test.sh".into(), "tools/run_tests.sh".into())],
        ),
        spec(
            bela(),
            8,
            "Add the picture of a heap\n",
            vec![special("assets/heap.ppm", FileMode::Plain, picture())],
        ),
        spec(
            bela(),
            9,
            "Add greetings for our exchange students\n",
            vec![Change::file("docs/grüße.md", "# Grüße, üdvözlet, 欢迎\n")],
        ),
    ]
}

fn lab_4() -> Vec<CommitSpec> {
    vec![
        spec(
            chen(),
            21,
            "Start lab 4\n",
            vec![
                Change::file("lab4/README.md", "# Lab 4: heaps\n"),
                Change::file("lab4/src/__init__.py", ""),
                Change::file("lab4/src/heap.py", HEAP),
                Change::file("docs/lab4.md", "# What is a heap?\n\nA tree that is nearly sorted.\n"),
                special("docs/latest.md", FileMode::Symlink, "lab4.md"),
            ],
        ),
        spec(chen(), 22, "Test the heap\n", vec![Change::file("lab4/tests/test_heap.py", TESTS)]),
        // A tracked file that .gitignore names: it must be handed out all the same.
        spec(
            ada(),
            23,
            "Keep the expected output beside the tests\n",
            vec![Change::file("build/expected.txt", "2 5 9\n")],
        ),
        spec(
            bela(),
            24,
            "Move lab 1 to the archive\n",
            vec![Change::Rename("lab1".into(), "archive/lab1".into())],
        ),
        spec(ada(), 28, "Describe lab 4 on the front page\n", vec![Change::file("README.md", README)]),
    ]
}

/// The branch that is not handed out.
pub(super) fn solutions() -> Vec<CommitSpec> {
    vec![spec(
        chen(),
        30,
        "Solution of lab 4\n",
        vec![Change::file(
            "lab4/solution.py",
            "import heapq\n\n\nclass Heap(list):\n    def push(self, item):\n        heapq.heappush(self, item)\n",
        )],
    )]
}

/// The distribution: the same trees in three commits, by Lockstep, after the source's.
pub(super) fn squashed() -> Vec<CommitSpec> {
    let mut base = base();
    let last = base.split_off(10);
    let middle = base.split_off(8);
    let parts = [base, middle, last];
    let dated = parts.into_iter().zip([31, 36, 41]);
    dated
        .map(|(part, day)| CommitSpec {
            offset: "+0000".into(),
            ..spec(
                lockstep(),
                day,
                "Project update\n",
                part.into_iter().flat_map(|commit| commit.changes).collect(),
            )
        })
        .collect()
}

/// The `index`-th commit of the source after the distribution's state.
pub(super) fn update(index: u64) -> CommitSpec {
    let day = 60 + i64::try_from(index).unwrap_or_default();
    match index {
        0 => spec(
            ada(),
            day,
            "Move the deadline\n",
            vec![Change::file("README.md", README.replace("30 April 2026, 18:00", "7 May 2026, 18:00"))],
        ),
        1 => spec(
            chen(),
            day,
            "Test that an empty heap refuses\n",
            vec![Change::file(
                "lab4/tests/test_heap.py",
                format!(
                    "{}\n\ndef test_pop_of_an_empty_heap():\n    with pytest.raises(IndexError):\n        Heap().pop()\n",
                    TESTS.replace("from lab4", "import pytest\n\nfrom lab4")
                ),
            )],
        ),
        2 => spec(
            bela(),
            day,
            "Name the page after its subject\n",
            vec![
                Change::Rename("docs/lab4.md".into(), "docs/heaps.md".into()),
                special("docs/latest.md", FileMode::Symlink, "heaps.md"),
            ],
        ),
        _ => {
            let author =
                [ada(), bela(), chen()].into_iter().nth(usize::try_from(index % 3).unwrap_or_default());
            let number = index - 2;
            spec(
                author.unwrap_or_else(ada),
                day,
                &format!("Add exercise {number}\n"),
                vec![Change::file(
                    format!("lab4/exercises/{number:02}.md"),
                    format!(
                        "# Exercise {number}\n\nPush {} items, pop them, and explain the order.\n",
                        5 + number % 7
                    ),
                )],
            )
        }
    }
}

/// One or two commits that a student made. The seed decides who did what.
pub(super) fn student(seed: u64, number: u32) -> Vec<CommitSpec> {
    let who =
        Person::new(format!("Student {number:02}"), format!("student-{number:02}@users.noreply.github.com"));
    let kind = mix(seed, u64::from(number)) % 6;
    let minutes = i64::try_from(mix(seed ^ 1, u64::from(number)) % 4000).unwrap_or_default();
    let commit = |day: i64, message: &str, changes: Vec<Change>| {
        let base = spec(who.clone(), day, message, changes);
        CommitSpec { seconds: base.seconds + minutes * 60, ..base }
    };
    let solved =
        HEAP.replacen("raise NotImplementedError", "self.items.append(item)\n        self.items.sort()", 1);
    let work = commit(45, "Implement push\n", vec![Change::file("lab4/src/heap.py", solved)]);
    let notes = commit(
        46,
        "Notes\n",
        vec![Change::file(
            "NOTES.md",
            format!("# Notes of student {number:02}\n\nThe smallest item is at the root.\n"),
        )],
    );
    match kind {
        0 => vec![notes],
        1 => vec![work],
        // Will conflict with the moved deadline.
        2 => vec![
            work,
            commit(
                47,
                "My own plan\n",
                vec![Change::file(
                    "README.md",
                    README.replace("Deadline: 30 April 2026, 18:00", "Deadline: start early! 30 April 2026"),
                )],
            ),
        ],
        // Removed what they did not need.
        3 => vec![work, commit(48, "Remove the archive\n", vec![Change::Remove("archive".into())])],
        // Took the new deadline over by hand.
        4 => vec![
            work,
            commit(
                61,
                "Update the deadline\n",
                vec![Change::file("README.md", README.replace("30 April 2026, 18:00", "7 May 2026, 18:00"))],
            ),
        ],
        _ => vec![work, notes],
    }
}
