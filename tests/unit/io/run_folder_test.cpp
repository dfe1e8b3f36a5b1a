#include "io/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "core/error.hpp"
#include "io/whole_file.hpp"
#include "temporary_directory.hpp"

namespace grus::run_folder_test {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using ::testing::HasSubstr;
using Use = RunFolder::Use;
using Foreign = RunFolder::Foreign;

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(RunFolder, NamesOfARunAreKnown) {
  for (const char* name : {"series.csv", "frames/part-00000.bin", "frames/part-123456.bin", "vtk/contacts-000001.vtp",
                           "problems/step-00000012.hdf5", "analysis/map.csv"})
    EXPECT_TRUE(is_run_file(name)) << name;
  for (const char* name :
       {"", "notes.txt", "../series.csv", "frames/../series.csv", "frames/part-0000.bin", "frames/part-00../x.bin",
        "frames/part-0000000000001.bin", "/series.csv", "frames", "grus-run.json"})
    EXPECT_FALSE(is_run_file(name)) << name;
}

TEST(RunFolder, TheListIsTheFirstFileAndNamesTheOthers) {
  const TemporaryDirectory directory;
  RunFolder folder(directory / "run");
  EXPECT_TRUE(fs::exists(directory / "run/grus-run.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory / "run"), {}), 1);
  folder.write("frames/index.json", "{}");
  EXPECT_THAT(read_whole_file(directory / "run/grus-run.json"), HasSubstr("\"frames/index.json\""));
  EXPECT_TRUE(folder.holds("frames/index.json"));
  EXPECT_FALSE(folder.holds("series.csv"));
}

TEST(RunFolder, AFolderOfTheUserIsRefusedAndKept) {
  for (const char* name :
       {"series.csv", "report.html", "notes.txt", ".git", "analysis/mine.csv", "problems/mine.hdf5"}) {
    const TemporaryDirectory directory;
    const std::string path = directory / name;
    fs::create_directories(fs::path(path).parent_path());
    write_whole_file(path, "mine");
    EXPECT_THAT(refusal([&] { RunFolder folder(directory.path()); }), HasSubstr("--force")) << name;
    EXPECT_FALSE(fs::exists(directory / run_marker));
    RunFolder folder(directory.path(), Use::run, Foreign::replace);
    folder.clear();
    EXPECT_EQ(read_whole_file(path), "mine") << name;
  }
}

TEST(RunFolder, AFreshStartRemovesWhatIsListedAndNothingElse) {
  const TemporaryDirectory directory;
  {
    RunFolder folder(directory.path());
    for (const char* name : {"series.csv", "analysis/map.csv", "problems/step-00000001.hdf5", "vtk/run.pvd"})
      folder.write(name, "ours");
  }
  // beside and between ours, after the run
  for (const char* name : {"report.html", "analysis/notes.txt", "problems/step-00000002.hdf5"})
    write_whole_file(directory / name, "mine");
  RunFolder folder(directory.path());
  folder.clear();
  for (const char* name : {"series.csv", "analysis/map.csv", "problems/step-00000001.hdf5", "vtk"})
    EXPECT_FALSE(fs::exists(directory / name)) << name;
  for (const char* name : {"report.html", "analysis/notes.txt", "problems/step-00000002.hdf5"})
    EXPECT_EQ(read_whole_file(directory / name), "mine") << name;
  EXPECT_THAT(refusal([&] { folder.write("report.html", "ours"); }), HasSubstr("is in the way"));
  EXPECT_THAT(refusal([&] { claim_beside(directory.path(), {"report.html"}); }), HasSubstr("is in the way"));
  EXPECT_EQ(read_whole_file(directory / "report.html"), "mine");
}

TEST(RunFolder, ForceReplacesWhatIsInTheWay) {
  const TemporaryDirectory directory;
  write_whole_file(directory / "checkpoint.h5", "mine");
  write_whole_file(directory / "series.csv", "mine");
  RunFolder folder(directory.path(), Use::run, Foreign::replace);
  EXPECT_FALSE(folder.holds("checkpoint.h5")) << "a checkpoint that is not ours must not be resumed from";
  folder.claim({"checkpoint.h5"});
  EXPECT_FALSE(fs::exists(directory / "checkpoint.h5")) << "it would be taken for ours after a kill";
  EXPECT_EQ(read_whole_file(directory / "series.csv"), "mine");
}

TEST(RunFolder, AnOldFolderCanBeAdopted) {
  const TemporaryDirectory directory;
  write_whole_file(directory / "checkpoint.h5", "old");
  fs::create_directories(directory / "frames");
  write_whole_file(directory / "frames/part-00000.bin", "old");
  write_whole_file(directory / "notes.txt", "mine");
  RunFolder folder(directory.path(), Use::run, Foreign::replace);
  folder.adopt();
  EXPECT_TRUE(folder.holds("checkpoint.h5"));
  EXPECT_TRUE(folder.holds("frames/part-00000.bin"));
  folder.clear();
  EXPECT_EQ(read_whole_file(directory / "notes.txt"), "mine");
}

TEST(RunFolder, AForgedListReachesNothingOutside) {
  const TemporaryDirectory directory, victim;
  write_whole_file(victim / "index.json", "mine");
  write_whole_file(victim / "series.csv", "mine");
  const std::string deep(200'000, '['), deep_end(deep.size(), ']');
  for (const std::string& files :
       {deep + deep_end, std::string(R"(["../x"])"), std::string(R"(["/etc/passwd"])"), std::string(R"(["notes.txt"])"),
        std::string(R"([7])"), std::string(R"({"a": 1})"), std::string("[[[")}) {
    write_whole_file(directory / run_marker, R"({"files": )" + files + "}");
    EXPECT_THAT(refusal([&] { RunFolder folder(directory.path()); }), HasSubstr(run_marker)) << files.substr(0, 80);
  }
  // links in place of folders and files
  write_whole_file(directory / run_marker, R"({"files": ["frames/index.json", "series.csv"]})");
  fs::create_directory_symlink(victim.path(), directory / "frames");
  fs::create_symlink(victim / "series.csv", directory / "series.csv");
  RunFolder folder(directory.path());
  EXPECT_THAT(refusal([&] { folder.clear(); }), HasSubstr("is a link"));
  EXPECT_THAT(refusal([&] { folder.write("frames/index.json", "ours"); }), HasSubstr("is a link"));
  EXPECT_EQ(read_whole_file(victim / "index.json"), "mine");
  EXPECT_EQ(read_whole_file(victim / "series.csv"), "mine");
}

TEST(RunFolder, AListThatIsAPipeOrALinkIsNoList) {
  const TemporaryDirectory directory, other;
  ASSERT_EQ(mkfifo((directory / run_marker).c_str(), 0600), 0);
  EXPECT_THAT(refusal([&] { RunFolder folder(directory.path()); }), HasSubstr("is no list of files"));
  write_whole_file(directory / "list", R"({"files": []})");
  fs::create_symlink(directory / "list", other / run_marker);
  EXPECT_THROW(RunFolder(other.path()), std::runtime_error);
}

TEST(RunFolder, AStudyMayFindItsRuns) {
  const TemporaryDirectory directory;
  { RunFolder run(directory / "one"); }
  EXPECT_THAT(refusal([&] { RunFolder folder(directory.path()); }), HasSubstr("--force"));
  EXPECT_EQ(refusal([&] { RunFolder folder(directory.path(), Use::study); }), "no fault");
  const TemporaryDirectory foreign;
  fs::create_directory(foreign / "photos");
  EXPECT_THAT(refusal([&] { RunFolder folder(foreign.path(), Use::study); }), HasSubstr("'photos'"));
}

TEST(RunFolder, CommandsBesideARunAreNotForgotten) {
  const TemporaryDirectory directory;
  RunFolder folder(directory.path());
  folder.write("series.csv", "t\n");
  claim_beside(directory.path(), {"analysis.json", "analysis/map.csv"});
  folder.write("summary.json", "{}");
  const std::string list = read_whole_file(directory / run_marker);
  for (const char* name : {"series.csv", "analysis.json", "analysis/map.csv", "summary.json"})
    EXPECT_THAT(list, HasSubstr(name));
  const TemporaryDirectory plain;
  claim_beside(plain.path(), {"report.html"});
  EXPECT_TRUE(fs::is_empty(plain.path()));
}

TEST(RunFolder, TemporariesOfAKilledRunAreRemoved) {
  const TemporaryDirectory directory;
  {
    RunFolder folder(directory.path());
    folder.write("checkpoint.h5", "ours");
    folder.write("frames/index.json", "{}");
    folder.write("report.html", "ours");
  }
  const std::string living = std::to_string(getppid());
  write_whole_file(directory / "checkpoint.h5.tmp1", "half");  // no other run can be writing it
  write_whole_file(directory / "frames/index.json.tmp4194999", "half");
  write_whole_file(directory / "grus-run.json.tmp4194999", "half");
  write_whole_file(directory / ("report.html.tmp" + living), "on its way");
  write_whole_file(directory / "thesis.tex.tmp4194999", "mine");
  write_whole_file(directory / "checkpoint.h5.tmpest", "mine");
  RunFolder folder(directory.path());
  EXPECT_FALSE(fs::exists(directory / "checkpoint.h5.tmp1"));
  EXPECT_FALSE(fs::exists(directory / "frames/index.json.tmp4194999"));
  EXPECT_FALSE(fs::exists(directory / "grus-run.json.tmp4194999"));
  EXPECT_TRUE(fs::exists(directory / ("report.html.tmp" + living)));
  EXPECT_TRUE(fs::exists(directory / "thesis.tex.tmp4194999"));
  EXPECT_TRUE(fs::exists(directory / "checkpoint.h5.tmpest"));
}

TEST(RunFolder, AKillBeforeTheListLeavesAnEmptyFolder) {
  const TemporaryDirectory directory;
  write_whole_file(directory / "grus-run.json.tmp4194999", "{");
  EXPECT_EQ(refusal([&] { RunFolder folder(directory.path()); }), "no fault");
}

TEST(RunFolder, AFolderThatMovedIsNoticed) {
  const TemporaryDirectory directory;
  RunFolder folder(directory / "run");
  folder.write("series.csv", "t\n");
  fs::rename(directory / "run", directory / "elsewhere");
  EXPECT_THROW(folder.write("summary.json", "{}"), IoError);
  fs::create_directory(directory / "run");
  EXPECT_THROW(folder.write("series.csv", "t\n"), IoError) << "another folder of this name";
  EXPECT_TRUE(fs::is_empty(directory / "run"));
}

}  // namespace
}  // namespace grus::run_folder_test
