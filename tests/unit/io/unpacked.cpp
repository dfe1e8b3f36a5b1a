#include "unit/io/unpacked.hpp"

#include <zlib.h>

#include <bit>
#include <stdexcept>
#include <string_view>

namespace grus::test {
namespace {

std::string from_base64(const std::string& text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<std::uint32_t>(letters.find(c));
    count += 6;
    if (count >= 8) bytes += static_cast<char>((bits >> (count -= 8)) & 0xff);
  }
  return bytes;
}

template <class Word>
std::vector<Word> from_planes(const std::string& planes) {
  const std::size_t count = planes.size() / sizeof(Word);
  std::vector<Word> words(count, 0);
  for (std::size_t k = 0; k < sizeof(Word); ++k) {
    for (std::size_t i = 0; i < count; ++i)
      words[i] |= static_cast<Word>(static_cast<unsigned char>(planes[k * count + i])) << (8 * k);
  }
  return words;
}

}  // namespace

std::string unpacked_bytes(const std::string& text) {
  const std::string deflated = from_base64(text);
  for (std::size_t room = 1 << 12;; room *= 4) {
    std::string bytes(room, '\0');
    uLongf size = bytes.size();
    const int status = ::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                    reinterpret_cast<const Bytef*>(deflated.data()), deflated.size());
    if (status == Z_BUF_ERROR && room < (std::size_t{1} << 28)) continue;
    if (status != Z_OK) throw std::runtime_error("no deflated bytes");
    bytes.resize(size);
    return bytes;
  }
}

std::vector<std::int32_t> unpacked_integers(const std::string& text) {
  std::vector<std::int32_t> values;
  for (const std::uint32_t z : from_planes<std::uint32_t>(unpacked_bytes(text)))
    values.push_back(static_cast<std::int32_t>(z >> 1) ^ -static_cast<std::int32_t>(z & 1));
  return values;
}

std::vector<double> unpacked_reals(const std::string& text) {
  std::vector<double> values;
  for (const std::uint64_t w : from_planes<std::uint64_t>(unpacked_bytes(text)))
    values.push_back(std::bit_cast<double>(w));
  return values;
}

}  // namespace grus::test
